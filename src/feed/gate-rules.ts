/** The numbers of the rules that a whole snapshot is held against. */
export const GATE = {
  rule:
    'The gate protects against faults and lies, not against news. Each source that answered is a witness in its own ' +
    'figures: an aggregator by its own ids, a venue by its own pairs in one currency whose rate moved by less than ' +
    '`witness_percent`; it must have `witness_figures` of them that were published before, of listings that it does not ' +
    'price alone. It confirms the published prices unless they moved away from it by a median of more than ' +
    '`witness_percent`. Two or more that are more than half of the witnesses decide: what they confirm is published at once, ' +
    'however large, and what they contradict is refused. Without such a majority, a median move of more than ' +
    '`median_move_percent` since the last publication is refused. Listings, prices and markets are missing if the ' +
    'sources that reported them answered and more than the given share is gone; of fewer than `least_listings`, more than ' +
    '`few_fall_percent`, and two at least. Where fewer prices are compared than twice `witness_figures`, a witness needs half ' +
    'as many figures, and at least `few_figures`. What two sources that knew it both no longer ' +
    'report, in lists that were not cut off at the number asked for, and markets that more than half of the venues drop to such a share, are news and not missing; nor is what is ' +
    'held back by itself, or renamed. A source alone may not report more new listings than the given share of those it ' +
    'reported before, for each day since its last answer. The clock is wrong if more than half of the sources with dated ' +
    'rows agree on another time to `clock_agreement_minutes`, or if it is before the last run and not most of them agree ' +
    'with it. A first publication of live data has at least `listings_floor` listings. A listing that only one source reported ' +
    'for less than `confirm_hours` never counts as missing. A refusal ends when its rule was broken in `heal_runs` runs in a ' +
    'row over `heal_hours`, unless the witnesses contradict it, and when nothing was published for `stand_hours`, because ' +
    'the last snapshot is then too old to protect. A wrong clock must be set right. Histories, candles and daily closes ' +
    'that would be smaller by more than `history_fall_percent`, plus up to `history_window_percent` for a day without a ' +
    'publication, in which the short ranges move on, or for a change of the cadence, are refused until they are restored ' +
    'or given up.',
  witness_figures: 10,
  witness_percent: 2,
  told_move_percent: 3,
  listings_fall_percent: 10,
  listings_growth_percent: 10,
  priced_fall_percent: 20,
  markets_fall_percent: 50,
  median_move_percent: 30,
  clock_agreement_minutes: 15,
  clock_back_hours: 1,
  history_fall_percent: 10,
  history_window_percent: 60,
  listings_floor: 1_000,
  least_listings: 20,
  few_fall_percent: 40,
  few_figures: 3,
  confirm_hours: 24,
  heal_runs: 6,
  heal_hours: 3,
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
  'history_fall',
  'schema',
] as const
export type GateRule = (typeof GATE_RULES)[number]

/** What is wrong with a snapshot as a whole. */
export interface Finding {
  readonly rule: GateRule
  readonly message: string
  /** It ends when it was found in enough runs in a row. */
  readonly heals: boolean
  /** It ends when nothing was published for long. */
  readonly fades: boolean
}

/** Why a snapshot is not to be published, since when, and what would release it. */
export interface Refusal extends Pick<Finding, 'rule' | 'message'> {
  /** When the first of the runs in a row broke the rule, as published. */
  readonly since: string
  /** What ends the refusal, as a sentence. */
  readonly release: string
}
