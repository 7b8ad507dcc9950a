import { parseAccept } from 'hono/utils/accept'

/** Returns the weights of a header such as `br;q=0.5, *` by name in lower case (RFC 9110 section 12.4.2). */
export const weightsIn = (header: string): ReadonlyMap<string, number> =>
  new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]))

/** Whether an `Accept` header prefers CSV to JSON (RFC 9110 section 12.5.1). Of two equal weights, JSON is preferred. */
export function prefersCsv(accept: string): boolean {
  const weights = weightsIn(accept)
  const weight = (type: string, group: string) => weights.get(type) ?? weights.get(group) ?? weights.get('*/*') ?? 0
  return weight('text/csv', 'text/*') > weight('application/json', 'application/*')
}
