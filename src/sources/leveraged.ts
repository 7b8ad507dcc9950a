// One letter before a word makes no leveraged token, but names of their own: TUP beside T, SUP beside S.
const LEVERAGED = /^(?:(.+)[235][LS]|(..+)(?:UP|DOWN|BULL|BEAR))$/

/**
 * Whether `base` is a leveraged token of another base of the same venue: BTC3L beside BTC. SYRUP is not, as long as no
 * SYR trades there. All in upper case.
 */
export function isLeveraged(base: string, bases: ReadonlySet<string>): boolean {
  const [, byDigit, byWord] = LEVERAGED.exec(base) ?? []
  const underlying = byDigit ?? byWord
  return underlying !== undefined && bases.has(underlying)
}
