/** Returns rows by a value. Unknown values come last in both directions. The sort is stable. */
export function sortedBy<Row>(
  rows: readonly Row[],
  by: (row: Row) => number | string | null,
  descending: boolean,
): readonly Row[] {
  const sign = descending ? -1 : 1
  const sorted = rows.map((row) => ({ row, value: by(row) }))
  sorted.sort(({ value: left }, { value: right }) => {
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return left === right ? 0 : left < right ? -sign : sign
  })
  return sorted.map(({ row }) => row)
}
