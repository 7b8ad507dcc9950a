/** Each size up to here is a file, and above it every multiple. */
const STEP = 100

/** Sizes of the cuts of a list of `rows` rows that are written as files: 1..100 and every hundred up to the list. */
export function* cutsFor(rows: number): Generator<number> {
  for (let size = 1; size <= STEP; size++) yield size
  for (let size = 2 * STEP; size <= rows; size += STEP) yield size
}

/** The smallest cut that holds `rows` rows, where the list is long enough to have it. */
export const cutHolding = (rows: number): number => (rows <= STEP ? rows : Math.ceil(rows / STEP) * STEP)
