import { textIn } from '../contract/text.ts'
import { candleFile, candleSlug } from '../contract/candles.ts'
import { DAYS, type Days, type Grid } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import { FOLLOWING } from './candle-plan.ts'
import { type CandleSeries, NO_BAR_OF_WIDTH, extendCandles, parseCandles, retiredCandles } from './candle-series.ts'
import type { Readable } from './last-series.ts'
import type { PastPrices } from './past-prices.ts'

export type ExtendedCandles = ReturnType<typeof extendedCandles>

/** Arguments of {@link extendedCandles}. */
interface CandleInputs {
  readonly snapshot: Pick<Feed['snapshot'], 'bySlug'>
  readonly past: Pick<PastPrices, 'bars'>
  /** Venues that bars are requested from; none where no past prices are requested. */
  readonly venues: ReadonlySet<string>
  /** Files of the last publication. */
  readonly files: readonly string[]
  readonly last: Readable
  readonly grid: Grid
}

/** Assets whose new ranges stay in memory, half a megabyte each: the closes of a small feed need them before their documents do. */
const HELD = 32

/** Extends the published candles of each asset by the bars of this run. One without bars has ranges that say why. */
export function extendedCandles({ snapshot: { bySlug }, past, venues, files, last, grid }: CandleInputs) {
  const published = new Set(files.flatMap((file) => candleSlug(file) ?? []))
  const aliasesOf = (slug: string) => bySlug.get(slug)?.asset.aliases ?? []
  const nameOf = (slug: string) => [slug, ...aliasesOf(slug)].find((name) => published.has(name)) ?? null
  const before = memo((slug: string): string | null => {
    const name = nameOf(slug)
    if (name === null) return null
    for (const days of DAYS) {
      const head = last.head(candleFile(name, days))
      if (head !== '') return noticeIn(head)
    }
    return null
  })
  /** Why an asset has no bars; null if it has some. */
  const noticeOf = memo((slug: string): string | null => {
    if (past.bars.has(slug)) return null
    const listing = bySlug.get(slug)
    const rank = listing?.asset.market_cap_rank ?? null
    const isKept = rank === null || rank <= FOLLOWING.kept
    if (isKept && nameOf(slug) !== null && before(slug) === null) return null
    if (venues.size === 0) return NOTICES.off
    if (rank === null || rank > FOLLOWING.listings) return NOTICES.small
    return listing?.markets.some(({ exchange_id }) => venues.has(exchange_id)) === true ? NOTICES.due : NOTICES.noVenue
  })
  const read = (slug: string, days: Days): CandleSeries | null => {
    const name = noticeOf(slug) === null ? nameOf(slug) : null
    const series = name === null ? null : parseCandles(last.read(candleFile(name, days)), days)
    return series === null || series.replacedBy !== null ? null : { ...series, slug }
  }
  const isRetired = (slug: string): boolean => (bySlug.get(slug)?.asset.replaced_by ?? null) !== null
  const extended = (slug: string, all: boolean): ReadonlyMap<Days, CandleSeries> => {
    const replacedBy = bySlug.get(slug)?.asset.replaced_by ?? null
    if (replacedBy !== null) return retiredCandles(slug, replacedBy, grid)
    const answers = past.bars.get(slug) ?? []
    return extendCandles({ slug, read: (days) => read(slug, days), answers, grid, all, notice: noticeOf(slug) })
  }
  const changedCandles = memo((slug: string): ReadonlyMap<Days, CandleSeries> => {
    // An asset that is renamed, has its first bars or has none for another reason has no such documents under its slug yet.
    const isNew = !published.has(slug) || isRetired(slug) || before(slug) !== noticeOf(slug)
    return past.bars.has(slug) || isNew ? extended(slug, isNew) : new Map()
  }, HELD)
  return {
    /** Slugs with bars, in the order of the listings. */
    candleSlugs: [...bySlug.keys()].filter((slug) => noticeOf(slug) === null),
    changedCandles,
    /** Returns one range of an asset, changed or not. Lost bars count as missing. */
    candlesOf(slug: string, days: Days): CandleSeries {
      const series = changedCandles(slug).get(days) ?? extended(slug, true).get(days)
      if (!series) throw new Error(`no candles of ${days} days were made for ${slug}`)
      return series
    },
  }
}

/** Why an asset has no bars. */
const NOTICES = {
  off: 'This publisher requests no bars of venues, which candles are made of.',
  small: `Candles are made for the ${FOLLOWING.listings} largest listings by market cap.`,
  noVenue: 'No venue that publishes bars trades this asset.',
  due: 'The bars of this asset have not arrived yet. They follow with a later run.',
} as const

const RETIRED = 'retired'

/** Returns why an asset has no bars, from the head of one of its documents; null if it has some. */
function noticeIn(head: string): string | null {
  if (textIn(head, 'replacedBy') !== null) return RETIRED
  const notice = textIn(head, 'notice')
  return notice === NO_BAR_OF_WIDTH ? null : notice
}

/** Returns a function that computes each value once, while it keeps no more than `most`. */
function memo<Value>(of: (slug: string) => Value, most = Infinity): (slug: string) => Value {
  const known = new Map<string, Value>()
  return (slug) => {
    const found = known.get(slug)
    if (found !== undefined) return found
    const value = of(slug)
    if (known.size >= most) known.clear()
    known.set(slug, value)
    return value
  }
}

/** Returns a function that reads the start of the newest bar of an asset, in ms since 1970; null if there is none. */
export const newestBarOf =
  (tree: Readable, aliasesOf: (slug: string) => readonly string[]) =>
  (slug: string, days: Days): number | null => {
    for (const name of [slug, ...aliasesOf(slug)]) {
      const to = textIn(tree.head(candleFile(name, days)), 'to')
      if (to !== null) return Date.parse(to)
    }
    return null
  }

/** Candles of a world without any. */
export const NO_CANDLES: ExtendedCandles = {
  candleSlugs: [],
  changedCandles: () => new Map(),
  candlesOf: (slug) => {
    throw new Error(`${slug} has no candles`)
  },
}
