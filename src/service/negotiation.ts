/**
 * Returns the names of a header such as `br;q=0.5, *` in lower case with their weights (RFC 9110 section 12.4.2), 1 by
 * default. Parameters other than the weight are ignored.
 */
export const weightsIn = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.trim().toLowerCase().split(';')
      const q = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text !== undefined)
      return [name.trim(), q === undefined ? 1 : Number(q)] as const
    }),
  )

/** Whether an `Accept` header prefers CSV to JSON (RFC 9110 section 12.5.1). Of two equal weights, JSON is preferred. */
export function prefersCsv(accept: string): boolean {
  const weights = weightsIn(accept)
  const weight = (type: string, group: string) => weights.get(type) ?? weights.get(group) ?? weights.get('*/*') ?? 0
  return weight('text/csv', 'text/*') > weight('application/json', 'application/*')
}

/** Maximum number of cached headers. Real clients send only a few. */
const REMEMBERED = 100

/** Returns a memoized function of a header. */
export function rememberedHeaders<T extends string | boolean | null>(
  parse: (header: string) => T,
): (header: string) => T {
  const known = new Map<string, T>()
  return (header) => {
    const before = known.get(header)
    if (before !== undefined) return before
    const parsed = parse(header)
    if (known.size < REMEMBERED) known.set(header, parsed)
    return parsed
  }
}
