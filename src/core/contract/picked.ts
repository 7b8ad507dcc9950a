/** Returns the members of a response with the rows whose `member` has the value, or null if no row has it. */
export function pickedRows<Row extends Readonly<Record<string, unknown>>>(
  all: readonly Row[],
  member: string,
  value: unknown,
): { readonly ambiguous: boolean; readonly count: number; readonly rows: readonly Row[] } | null {
  const rows = all.filter((row) => row[member] === value)
  return rows.length === 0 ? null : { ambiguous: rows.length > 1, count: rows.length, rows }
}
