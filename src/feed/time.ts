/** A time in ms since 1970 as it is published: UTC, whole seconds. */
export const isoOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** Hours from a published time to the clock in ms. */
export const hoursSince = (timestamp: string, now: number): number => (now - Date.parse(timestamp)) / 3_600_000
