const LEVERAGED = /^(.+?)(?:[235][LS]|UP|DOWN|BULL|BEAR)$/

/**
 * Whether `base` is a leveraged token of another base of the same venue: BTC3L beside BTC. JUP or SYRUP are not, as
 * long as no J or SYR trades there. Both in upper case.
 */
export function isLeveraged(base: string, bases: ReadonlySet<string>): boolean {
  const underlying = LEVERAGED.exec(base)?.[1]
  return underlying !== undefined && bases.has(underlying)
}
