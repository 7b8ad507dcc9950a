/** The numbers of the rules that a whole snapshot is held against. */
export const GATE = {
  rule:
    'A snapshot is refused, and the last one stands, when of what sources that answered told before more than the given ' +
    'share is missing: listings, prices, markets; when a source that answered before names more new listings by itself ' +
    'than the given share of those it knew; when prices moved more in the middle, since the last publication or since the ' +
    'oldest price of the last day, than the limit for each day; when more than half of the sources that date their rows ' +
    'answer old ones; when the clock is before the last run. A first publication of live data is refused when it has fewer ' +
    'listings than `listings_floor`, because its sources are poor. A listing that one source alone named for less than ' +
    '`confirm_hours` is missed by no rule. A refusal ends when the same is offered in `heal_runs` runs over `heal_hours`; ' +
    'in `witnessed_runs` over `witnessed_hours` where two sources say the same of most of it; and when nothing was ' +
    'published for `stand_hours`, for then what stands is too old to protect.',
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

/** What a rule found: a refusal, and what is needed to tell whether the next run offers the same. */
export interface Finding extends Refusal {
  /** The items that the rule objects to. */
  readonly offer: readonly string[]
  /** Two sources say the same of most of them. */
  readonly witnessed: boolean
  /** The same in several runs confirms it. */
  readonly heals: boolean
  /** It ends when nothing was published for long. */
  readonly fades: boolean
}
