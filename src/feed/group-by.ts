/**
 * Returns the items by key, keys in the order of their first item: `Map.groupBy` of ES2024, which Node 20 lacks. Groups of
 * d3-array compare keys by `valueOf`, which takes several times as long over the quotes of a run.
 */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const known = groups.get(key)
    if (known) known.push(item)
    else groups.set(key, [item])
  }
  return groups
}
