/** Milliseconds: a time since 1970 in UTC, or a duration where its name says so. */
export type Ms = number

/** Minute, hour and day in ms. A day of UTC has no leap second in ms since 1970. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const INTERVAL_MS = {
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': DAY_MS,
} as const

/** Returns a time in ms since 1970 as it is published: UTC, whole seconds, cut, not rounded. */
export const isoOf = (ms: Ms): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** Returns an ISO day or time, in UTC unless it names a zone, in ms since 1970; NaN for any other text. */
export function msOf(text: string): Ms {
  const [, day, time, zone] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d[\d:.]*)(Z|[+-]\d\d:\d\d)?)?$/.exec(text.trim()) ?? []
  return Date.parse(time === undefined ? (day ?? '') : `${day}T${time}${zone ?? 'Z'}`)
}

export const dayOf = (ms: Ms): string => dayIn(new Date(ms).toISOString())

export const dayIn = (timestamp: string): string => timestamp.slice(0, 10)

export const hoursSince = (timestamp: string, now: Ms): number => (now - Date.parse(timestamp)) / HOUR_MS
