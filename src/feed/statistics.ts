/** The middle of some numbers, or the mean of the middle two. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Values in groups, in order of appearance. */
export function groupBy<Value, Name>(values: Iterable<Value>, nameOf: (value: Value) => Name): Map<Name, Value[]> {
  const groups = new Map<Name, Value[]>()
  for (const value of values) {
    const name = nameOf(value)
    const group = groups.get(name)
    if (group) group.push(value)
    else groups.set(name, [value])
  }
  return groups
}
