export const MAX_IDS = 250

/** The smallest value of `limit` with a file. Every list has it, however short, so that it works on every host. */
const SMALLEST = 10

/** Values of `limit` that have a file, if the list is long enough. A host with a function answers any other. */
export const LIMITS = [SMALLEST, 20, 25, 50, 100, 250, 500, 1000] as const

export const limitVariants = (rows: number): number[] => LIMITS.filter((size) => size <= Math.max(rows, SMALLEST))

export const variantHolding = (rows: number): number | null => LIMITS.find((size) => size >= rows) ?? null
