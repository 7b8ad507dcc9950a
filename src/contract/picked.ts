/** The rows with a value in a member, as the members of an answer of their own; null where there is none. */
export function pickedRows<Row extends Readonly<Record<string, unknown>>>(
  all: readonly Row[],
  member: string,
  value: unknown,
): { readonly ambiguous: boolean; readonly count: number; readonly rows: readonly Row[] } | null {
  const rows = all.filter((row) => row[member] === value)
  return rows.length === 0 ? null : { ambiguous: rows.length > 1, count: rows.length, rows }
}
