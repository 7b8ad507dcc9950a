/** Compares two texts by their UTF-16 units, or two numbers, as `toSorted` expects it. */
export const compare = <Value extends string | number>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns a comparison by what `keyOf` returns, smallest first. */
export const by =
  <Row>(keyOf: (row: Row) => string | number) =>
  (a: Row, b: Row): number =>
    compare(keyOf(a), keyOf(b))

/** Compares the entries of a map or an object by their keys. */
export const byKey = <Key extends string | number>(
  [a]: readonly [Key, ...unknown[]],
  [b]: readonly [Key, ...unknown[]],
): number => compare(a, b)
