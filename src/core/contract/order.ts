/** Compares two texts by their UTF-16 units, or two numbers, as `toSorted` expects it. */
export const compare = <Value extends string | number>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0)

export const by =
  <Row>(keyOf: (row: Row) => string | number) =>
  (a: Row, b: Row): number =>
    compare(keyOf(a), keyOf(b))

type Keyed = readonly [key: string | number, ...unknown[]]
export const byKey = (a: Keyed, b: Keyed): number => compare(a[0], b[0])

/**
 * Returns the items by key, keys in the order of their first item: `Map.groupBy` of ES2024, which Node 20 lacks. Groups of
 * d3-array compare keys by `valueOf`, which takes several times as long over the quotes of a run.
 */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) ensured(groups, keyOf(item), () => []).push(item)
  return groups
}

/** A map, or one whose values go with their keys. */
interface Cache<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

/** Returns the value of a key of a map, which is made and added if there is none. */
export function ensured<Key, Value>(map: Cache<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
