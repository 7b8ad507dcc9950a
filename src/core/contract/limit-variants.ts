export const MAX_IDS = 250

/** The smallest value of `limit` with a file. Every list has it, however short, so that it works on every host. */
const SMALLEST = 10

/** Values of `limit` that have a file, if the list is long enough. A host with a function answers any other. */
export const LIST_SIZES = [SMALLEST, 20, 25, 50, 100, 250, 500, 1000] as const

export const limitVariants = (rows: number): number[] => LIST_SIZES.filter((size) => size <= Math.max(rows, SMALLEST))

export const variantHolding = (rows: number): number | null => LIST_SIZES.find((size) => size >= rows) ?? null
