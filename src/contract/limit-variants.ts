/** Sizes up to this have a file each, however short the list is: so `limit=100` is answered by every host. */
const EACH_UP_TO = 100
/** Larger sizes that have a file, where the list has so many rows. Few, or the tree would grow with the square of the listings. */
const LARGE = [200, 250, 500, 1000]

/** Yields the values of `limit` that a list of `rows` rows is written as files for. */
export function* limitVariants(rows: number): Generator<number> {
  for (let size = 1; size <= EACH_UP_TO; size++) yield size
  for (const size of LARGE) if (size <= rows) yield size
}

/** Returns the smallest variant that holds `rows` rows, where the list is long enough to have it; null where none does. */
export const variantHolding = (rows: number): number | null =>
  rows <= EACH_UP_TO ? rows : (LARGE.find((size) => size >= rows) ?? null)
