import type { Methodology } from '../contract/collector.ts'

/** Every number of the published rules, in one table. */
export const LIMITS = {
  jury: 4,
  tolerance_percent: 2,
  central_share: 0.2,
  venue_cap: 0.15,
  credible_multiple: 10,
  full_spread_percent: 1,
  no_book_share: 0.5,
  least_share: 0.001,
  eligible_volume_usd: 100,
  eligible_spread_percent: 10,
  pool_liquidity_usd: 10_000,
  dispersed_percent: 1,
  doubted: 0.3,
  lie_percent: 5,
  quorum: 3,
  rate_tolerance_percent: 0.5,
  rate_memory_hours: 2,
  rate_of_two: 0.6,
  bank_days: 4,
  few_figures: 5,
  few_percent: 5,
  many_figures: 20,
  many_percent: 1,
  jump_factor: 2,
  jump_hours: 6,
  confirmed_percent: 20,
  same_percent: 10,
  same_percent_per_hour: 2,
  far_percent: 50,
  another_factor: 3,
  sources: 2,
  dispute_factor: 5,
  live_hours: 4,
  unchanged_hours: 1.5,
  venue_hours: 1,
  carry_hours: 24,
  fact_hours: 336,
  forget_hours: 72,
  change_minutes: 60,
  turnover_floor: 0.000_01,
  lone_cap_usd: 1_000_000_000,
  movers_volume_usd: 50_000,
  movers_turnover: 0.000_5,
  high_score: 75,
  medium_score: 45,
  wide_spread_percent: 1,
  very_wide_spread_percent: 5,
  thin_volume_usd: 50_000,
  very_thin_volume_usd: 1_000,
  cost_no_price: 100,
  cost_outlier: 60,
  cost_stale: 60,
  cost_no_volume: 60,
  cost_implausible_volume: 40,
  cost_crossed_book: 40,
  cost_very_thin_volume: 40,
  cost_very_wide_spread: 40,
  cost_thin_volume: 20,
  cost_wide_spread: 15,
  cost_no_order_book: 10,
} as const

/** The rules in words, with the numbers that they use. The version goes up when one of them changes. */
export const METHODOLOGY: Methodology = {
  version: '15',
  rules: {
    price:
      'A venue is one witness with one opinion: the volume-weighted middle of its eligible markets. An aggregator is one ' +
      'witness. `jury` venues or more with a majority of their own (more than half, within `tolerance_percent`) are the ' +
      'jury. Otherwise venues and aggregators are the jury together, one vote each. Aggregators join the mean of ' +
      'fewer than `quorum` venues; otherwise they confirm or contradict. If the jury has no majority, the last price joins it. The price is the mean of the middle ' +
      '`central_share` of the jury’s majority; venues weigh by the square root of credible volume, at most `venue_cap` each. ' +
      'Without a majority it is `split`: that of the first aggregator that another witness agrees with, or of the venues. It is `contested` when half of the live witnesses or fewer support it, or two do ' +
      'and another does not (without aggregators, three); `dispersed` when its witnesses are more than `dispersed_percent` ' +
      'apart at the median; `halted` when all its markets stand still while the feed moves; `match_disputed` when every ' +
      'aggregator contradicts markets that only each other vouch for, or by `another_factor`.',
    confidence:
      '(1 - 1/agreeing) times the share of the live witnesses that agrees; at most `doubted` for any of these reasons or ' +
      'with fewer than three agreeing; at most what the rates allow that most of its weight goes through. ' +
      'Fragility is how far the most influential source moves the price by a lie of `lie_percent`.',
    eligible:
      'A market counts with a price, a sound book, a spread up to `eligible_spread_percent` and a volume of ' +
      '`eligible_volume_usd`; its price is the last trade held within the book. Volume is credible up to ' +
      '`credible_multiple` times that of all other venues, less above a spread of `full_spread_percent`, `no_book_share` ' +
      'without a book. Less than `least_share` of its venue is left out. An outlier is further from the majority than the ' +
      'tolerance. Without witnesses the deepest pool ' +
      'of `pool_liquidity_usd` has the price.',
    jumps:
      'A move by `jump_factor`, within a run or a day, is held for `jump_hours`, unless three witnesses and a majority of ' +
      'all, or both of two, show it, within `confirmed_percent` or by having moved as far; without aggregators, all but one. ' +
      'A market cap that jumps without its sources is held for `carry_hours`.',
    audit:
      'A source is off in a run when more than half of its witnesses, itself included, agree by how much: ' +
      '`many_percent` over `many_figures`, `few_percent` over `few_figures`; for aggregators alone, `far_percent`. None of ' +
      'its prices, changes and volumes is used; a price that it alone reports is held.',
    rates:
      'A currency is measured at `quorum` agreeing venues, one opinion each, in currencies measured before; those ' +
      'that a venue prices come first. With fewer, aggregators, a central bank and the last rate of `rate_memory_hours` vote ' +
      'too. Who is further than `rate_tolerance_percent` from the majority, than `many_percent` from what its own dollar ' +
      'prices imply, or, alone, from a bank’s rate of `bank_days`, is not heard. A rate with three agreeing witnesses, such as ' +
      'what `few_figures` dollar prices imply, is sure; with two it allows a confidence of `rate_of_two`; else `doubted`.',
    identity:
      'External ids identify a listing, then contracts, then symbol and name at the same price (`same_percent`). A venue’s ' +
      'symbol is matched by the registry, its own list, an earlier match, or a price within `same_percent`, wider by ' +
      '`same_percent_per_hour` of age up to `far_percent`; `jury` venues may outvote one aggregator within ' +
      '`another_factor`. Contracts move with `sources` sources, or after `forget_hours`.',
    supply:
      'The first source that another, the registry or the last value confirms within `same_percent`. A lone jump is held ' +
      'for `carry_hours`; while others differ by `dispute_factor`, until one agrees, or its factor is the inverse of the ' +
      'confirmed move of the price.',
    age:
      'A market is stale after `live_hours`, or unchanged for `unchanged_hours` while an eligible one moves; a venue after ' +
      '`venue_hours`. An aggregator’s price older than `live_hours` loses to a live market and gives no change. Figures of ' +
      'a silent source are carried for `carry_hours`, supplies for `fact_hours`; listings that no source names for ' +
      '`forget_hours`.',
    change:
      'From our own price a day ago, within `change_minutes`; until then the middle of aggregators and venues quoting dollars.',
    rank:
      'By market cap, with a volume of `turnover_floor` of it, `sources` sources, and from `lone_cap_usd` that many ' +
      'aggregators; never a wrapped form of another asset. A reported volume counts unless that of another source is ' +
      '`dispute_factor` smaller, or the credible one of its markets that much larger.',
    movers:
      'Gainers and losers are unflagged listings that trade, stablecoins excepted: with a live price, and a volume of ' +
      '`movers_volume_usd` and of `movers_turnover` of the market cap.',
    quality:
      'A market has 100 points, less the `cost` of each of its reasons: a wide spread is above `wide_spread_percent` or ' +
      '`very_wide_spread_percent`, a thin volume below `thin_volume_usd` or `very_thin_volume_usd`, and one beyond ' +
      'what is credible is implausible. From `high_score` on it is high, from `medium_score` on medium.',
  },
  constants: LIMITS,
}
