/** The numbers of the rules that a whole snapshot is held against. */
export const GATE = {
  rule:
    'A snapshot is refused, and the last one kept, in these cases. More than the given share of listings, prices or ' +
    'markets is missing from sources that answered. A source alone reports more new listings than the given share of those ' +
    'it reported before. The median price move, since the last publication or since the oldest price of the last day, ' +
    'exceeds the limit per day. More than half of the sources with dated rows sent old ones. The clock is before the last ' +
    'run. A first publication of live data has fewer listings than `listings_floor`. A listing that only one source ' +
    'reported for less than `confirm_hours` never counts as missing. A refusal ends when the same data is reported in ' +
    '`heal_runs` runs over `heal_hours`, or in `witnessed_runs` over `witnessed_hours` if two sources report most of it, or ' +
    'when nothing was published for `stand_hours`, because the last snapshot is then too old to protect.',
  listings_fall_percent: 10,
  listings_growth_percent: 10,
  priced_fall_percent: 20,
  markets_fall_percent: 50,
  median_move_percent_per_day: 30,
  old_sources_share: 0.5,
  clock_back_hours: 1,
  listings_floor: 1_000,
  least_listings: 20,
  confirm_hours: 24,
  heal_runs: 6,
  heal_hours: 3,
  witnessed_runs: 3,
  witnessed_hours: 1,
  stand_hours: 24,
} as const

export const GATE_RULES = [
  'listings_fall',
  'listings_growth',
  'priced_fall',
  'markets_fall',
  'median_move',
  'old_data',
  'clock_back',
  'listings_floor',
  'schema',
] as const
export type GateRule = (typeof GATE_RULES)[number]

/** Why a snapshot is not to be published. */
export interface Refusal {
  readonly rule: GateRule
  readonly message: string
}

/** The finding of a rule: a refusal, and a sample that shows whether the next run offers the same. */
export interface Finding extends Refusal {
  /** The items that the rule objects to. */
  readonly offer: readonly string[]
  /** Whether two sources report the same for most of them. */
  readonly witnessed: boolean
  /** The same in several runs confirms it. */
  readonly heals: boolean
  /** It ends when nothing was published for long. */
  readonly fades: boolean
}
