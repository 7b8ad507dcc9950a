// With a base of one letter these are other names: TUP beside T, SUP beside S.
const LEVERAGED = /^(?:(.+)[235][LS]|(..+)(?:UP|DOWN|BULL|BEAR))$/

/**
 * Whether `base` is a leveraged token of another base of the same venue, such as BTC3L of BTC. SYRUP is not one unless SYR
 * trades there. All in upper case.
 */
export function isLeveraged(base: string, bases: ReadonlySet<string>): boolean {
  const [, byDigit, byWord] = LEVERAGED.exec(base) ?? []
  const underlying = byDigit ?? byWord
  return underlying !== undefined && bases.has(underlying)
}
