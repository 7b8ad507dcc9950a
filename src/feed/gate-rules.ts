/** The numbers of the rules that a whole snapshot is held against. */
export const GATE = {
  rule:
    'A snapshot is refused, and the last one stands, when of what sources that answered told before more than the given share ' +
    'is missing: listings, prices, markets; when prices moved more in the middle than the limit for each day since; when ' +
    'more than half of the sources that date their rows answer old ones; when the clock is before the last run.',
  listings_fall_percent: 10,
  priced_fall_percent: 20,
  markets_fall_percent: 50,
  median_move_percent_per_day: 30,
  old_sources_share: 0.5,
  clock_back_hours: 1,
  least_listings: 20,
} as const

export const GATE_RULES = [
  'listings_fall',
  'priced_fall',
  'markets_fall',
  'median_move',
  'old_data',
  'clock_back',
  'schema',
] as const
export type GateRule = (typeof GATE_RULES)[number]
