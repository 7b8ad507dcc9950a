/** The numbers of the rules that a whole snapshot is held against. */
export const GATE = {
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
