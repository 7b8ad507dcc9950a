/** Each limit up to this has a file, even if the list is shorter, so that every host can answer `limit=100`. */
const EACH_UP_TO = 100
/** Larger limits with a file, if the list is long enough. Only a few: otherwise the tree would grow quadratically. */
const LARGE = [200, 250, 500, 1000]

/** Yields the values of `limit` for which a list of `rows` rows has a file. */
export function* limitVariants(rows: number): Generator<number> {
  for (let size = 1; size <= EACH_UP_TO; size++) yield size
  for (const size of LARGE) if (size <= rows) yield size
}

/** Returns the smallest limit variant that holds `rows` rows, or null if there is none. */
export const variantHolding = (rows: number): number | null =>
  rows <= EACH_UP_TO ? rows : (LARGE.find((size) => size >= rows) ?? null)
