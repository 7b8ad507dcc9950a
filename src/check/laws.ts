import * as z from 'zod'
import { Asset, MarketsRow } from '../contract/asset.ts'
import { type CandleRow, candleFile } from '../contract/candles.ts'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { DexPair } from '../contract/dex-pair.ts'
import { GlobalMembers } from '../contract/global.ts'
import { DAYS, type Days, seriesFile } from '../contract/history.ts'
import { Market } from '../contract/market.ts'
import { roundMoney, roundPercent } from '../contract/numbers.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { readJson } from '../contract/read-json.ts'
import { totalsOf, isCounted } from '../feed/totals.ts'
import { type CandleSeries, parseCandles } from '../history/candle-series.ts'
import { bucketOf, timeOf } from '../history/grid.ts'
import { type PublishedSeries, parseSeries } from '../history/last-series.ts'
import type { TreeReader } from '../tree/reader.ts'

/** The documents of one listing. */
interface LawListing {
  readonly asset: Asset
  readonly markets: readonly Market[]
  readonly series: ReadonlyMap<Days, PublishedSeries>
  readonly candles: ReadonlyMap<Days, CandleSeries>
  /** Its row in the full feed; undefined for a delisted one. */
  readonly row: MarketsRow | undefined
}

/** The documents that the laws hold between. */
export interface LawTree {
  readonly listings: readonly LawListing[]
  readonly sources: readonly SourceRow[]
  readonly rates: z.infer<typeof CollectorMembers.referenceRates>
  readonly pairs: readonly DexPair[]
  readonly global: z.infer<typeof GlobalMembers.global>
  readonly collectedAt: string
}

/** A law that the figures of every publication keep, whatever its sources report. */
interface Law {
  readonly name: string
  readonly description: string
  /** Returns what breaks the law, each with the slug or the document and the figures. */
  readonly check: (tree: LawTree) => readonly string[]
}

const ofListings =
  (check: (listing: LawListing) => readonly string[]): Law['check'] =>
  ({ listings }) =>
    listings.flatMap((listing) => check(listing).map((text) => `${listing.asset.slug}: ${text}`))

/** Returns a text where a number is above another; nothing where one of them is unknown. */
const above = (name: string, value: number | null, limit: string, most: number | null): string[] =>
  value !== null && most !== null && value > most ? [`${name} ${value} is above ${limit} ${most}`] : []

export const LAWS: readonly Law[] = [
  {
    name: 'price_in_range',
    description: 'The price lies between the low and the high of 24 hours.',
    check: ofListings(({ asset: { price_usd: price, low_24h_usd: low, high_24h_usd: high } }) => [
      ...above('low', low, 'price', price),
      ...above('price', price, 'high', high),
      ...above('low', low, 'high', high),
    ]),
  },
  {
    name: 'price_below_all_time_high',
    description: 'Neither the price nor the high of 24 hours is above the all-time high.',
    check: ofListings(({ asset: { price_usd, high_24h_usd, ath_usd } }) => [
      ...above('price', price_usd, 'all-time high', ath_usd),
      ...above('high', high_24h_usd, 'all-time high', ath_usd),
    ]),
  },
  {
    name: 'supply_within_maximum',
    description: 'The circulating supply is at most the maximum supply, where both are known.',
    check: ofListings(({ asset: { circulating_supply, max_supply } }) =>
      above('circulating supply', circulating_supply, 'maximum supply', max_supply),
    ),
  },
  {
    name: 'cap_is_price_times_supply',
    description: 'The market cap is the price times the circulating supply, where both are known.',
    check: ofListings(({ asset: { price_usd, circulating_supply, market_cap_usd, replaced_by } }) => {
      if (price_usd === null || circulating_supply === null || replaced_by !== null) return []
      const cap = roundMoney(price_usd * circulating_supply)
      return cap === market_cap_usd ? [] : [`market cap ${market_cap_usd} is not ${cap}`]
    }),
  },
  {
    name: 'bars_cover_shorter_bars',
    description: 'The high and low of a bar cover those of the shorter bars of its time.',
    check: ofListings(({ candles }) => {
      const ranges = ([1, 7, 30, 365] as const).flatMap((days) => candles.get(days) ?? [])
      return ranges.flatMap((range, index) =>
        uncovered(
          range,
          ranges.slice(0, index).flatMap(({ rows }) => rows),
        ),
      )
    }),
  },
  {
    name: 'bars_hold_their_prices',
    description: 'The open and the close of a bar lie between its low and its high.',
    check: ofListings(({ candles }) =>
      [...candles.values()].flatMap(({ days, rows }) =>
        rows.flatMap(({ timestamp, open_usd, high_usd, low_usd, close_usd }) =>
          low_usd <= Math.min(open_usd, close_usd) && high_usd >= Math.max(open_usd, close_usd)
            ? []
            : [`the bar of ${timestamp} in ${days} days`],
        ),
      ),
    ),
  },
  {
    name: 'one_week_change',
    description:
      'The 7-day change is the same in all documents, and where it comes from history it is the change over the 7-day history.',
    check: ofListings(({ asset, row, series }) => {
      const { percent_change_7d: change, week_basis: basis, price_usd: price } = asset
      const [first] = series.get(7)?.rows ?? []
      const own = first && price !== null ? roundPercent((price / first.price_usd - 1) * 100) : null
      return [
        ...(row && row.percent_change_7d !== change
          ? [`${change} in its profile, ${row.percent_change_7d} in the list`]
          : []),
        ...(basis.method === 'history' && own !== change ? [`${change} in its profile, ${own} in its history`] : []),
      ]
    }),
  },
  {
    name: 'totals_are_sums',
    description: 'The totals of the market are the sums over the listings that count.',
    check: ({ listings, global }) => {
      const counted = listings.flatMap(({ asset, row }) => (row && isCounted(asset) ? [asset] : []))
      const { market_cap_usd, volume_24h_usd } = totalsOf(counted)
      return [
        ...(market_cap_usd === global.market_cap_usd
          ? []
          : [`market cap ${global.market_cap_usd}, not ${market_cap_usd}`]),
        ...(volume_24h_usd === global.volume_24h_usd ? [] : [`volume ${global.volume_24h_usd}, not ${volume_24h_usd}`]),
      ]
    },
  },
  {
    name: 'pools_once',
    description: 'A pool is listed once, and its market has its price, its time and its freshness.',
    check: ({ listings, pairs }) => {
      const markets = listings.flatMap(({ asset, markets }) => markets.map((market) => ({ slug: asset.slug, market })))
      const byPool = new Map<string, Market>(
        markets.map(({ slug, market }) => [`${slug} ${market.chain}:${market.contract_address}`, market] as const),
      )
      const ids = new Set<string>()
      return pairs.flatMap(({ pair_id, base_asset_id, price_usd, collected_at, is_stale }) => {
        const twice = ids.has(pair_id) ? [`${pair_id} is listed twice`] : []
        ids.add(pair_id)
        const market = byPool.get(`${base_asset_id} ${pair_id}`)
        const same =
          market?.price_usd === price_usd && market.collected_at === collected_at && market.is_stale === is_stale
        return market && !same ? [...twice, `${pair_id} differs from its market of ${base_asset_id}`] : twice
      })
    },
  },
  {
    name: 'silent_is_stale',
    description: 'A market or pool of a source that did not answer is stale, and no older than the last answer.',
    check: ({ listings, sources, collectedAt }) => {
      const heardAt = new Map(
        sources.map(({ source_label, last_success, error }) => [
          source_label,
          { last_success, answered: error === null && last_success === collectedAt },
        ]),
      )
      return listings.flatMap(({ asset: { slug }, markets }) =>
        markets.flatMap(({ exchange_id, pair, source_label, is_stale, collected_at }) => {
          const heard = heardAt.get(source_label)
          const name = `${slug}: ${exchange_id} ${pair}`
          if (!heard) return [`${name} is of ${source_label}, which is no source of the feed`]
          if (!heard.answered && !is_stale) return [`${name} is not stale, and ${source_label} did not answer`]
          return collected_at > (heard.last_success ?? '') ? [`${name} is newer than the last answer`] : []
        }),
      )
    },
  },
  {
    name: 'no_removed_source',
    description: 'Every figure and rate that names a source names one of the feed.',
    check: ({ listings, sources, rates }) => {
      const known = new Set(['registry', ...sources.map(({ source_id }) => source_id)])
      const told = listings.flatMap(({ asset }) =>
        Object.keys(asset.told_by).flatMap((source) =>
          known.has(source) ? [] : [`${asset.slug}: figures of ${source}`],
        ),
      )
      known.add('previous')
      const measured = rates.flatMap(({ symbol, inputs }) =>
        inputs.flatMap(({ source_id }) => (known.has(source_id) ? [] : [`the rate of ${symbol}: ${source_id}`])),
      )
      return [...told, ...measured]
    },
  },
  {
    name: 'no_value_of_the_future',
    description: 'No value is newer than the run, and a carried one is older.',
    check: ({ listings, collectedAt }) =>
      listings.flatMap(({ asset: { slug, last_updated, carried, price_basis } }) => [
        ...((last_updated ?? '') > collectedAt ? [`${slug}: last_updated ${last_updated}`] : []),
        ...Object.entries(carried ?? {}).flatMap(([name, at]) =>
          at >= collectedAt ? [`${slug}: ${name} is carried since ${at}`] : [],
        ),
        ...(price_basis.method === 'carried' && carried?.['price_usd'] !== last_updated
          ? [`${slug}: its carried price is of ${last_updated}`]
          : []),
      ]),
  },
]

/** Returns the bars of a range that do not cover shorter ones. */
function uncovered({ days, interval, rows }: CandleSeries, shorter: readonly CandleRow[]): string[] {
  const bars = new Map(rows.map((row) => [timeOf(row.timestamp), row]))
  return shorter.flatMap(({ timestamp, high_usd, low_usd }) => {
    const bar = bars.get(bucketOf(timeOf(timestamp), interval))
    return bar && (bar.high_usd < high_usd || bar.low_usd > low_usd)
      ? [`the bar of ${bar.timestamp} in ${days} days does not cover that of ${timestamp}`]
      : []
  })
}

const rowsOf = <Row extends z.ZodType>(row: Row) => z.object({ rows: z.array(row) })
const Collector = z.object({ ...CollectorMembers, rows: z.array(SourceRow) })

/** Reads the documents that the laws hold between; null if one of them cannot be read. */
export async function lawTree(read: TreeReader, slugs: readonly string[]): Promise<LawTree | null> {
  const document = async <Members extends z.ZodType>(path: string, members: Members) =>
    readJson(await read(`${API_FOLDER}/${path}.json`), members)
  const [collector, pools, totals, feed] = await Promise.all([
    document('collector', Collector),
    document('dex-pairs', rowsOf(DexPair)),
    document('global', z.object(GlobalMembers)),
    document('markets', rowsOf(MarketsRow)),
  ])
  if (!collector || !pools || !totals || !feed) return null
  const rows = new Map(feed.rows.map((row) => [row.slug, row]))
  const listings: LawListing[] = []
  for (const slug of slugs) {
    const profile = await document(`assets/${slug}`, z.object({ asset: Asset }))
    const markets = await document(`assets/${slug}/markets`, rowsOf(Market))
    if (!profile || !markets) return null
    listings.push({
      asset: profile.asset,
      markets: markets.rows,
      series: await ranges((days) => read(seriesFile(slug, days)), parseSeries),
      candles: await ranges((days) => read(candleFile(slug, days)), parseCandles),
      row: rows.get(slug),
    })
  }
  const { rows: sources, referenceRates: rates, freshness } = collector
  return { listings, sources, rates, pairs: pools.rows, global: totals.global, collectedAt: freshness.collectedAt }
}

async function ranges<Range>(
  textOf: (days: Days) => Promise<string | null>,
  parse: (text: string | null, days: Days) => Range | null,
): Promise<Map<Days, Range>> {
  const known = new Map<Days, Range>()
  for (const days of DAYS) {
    const range = parse(await textOf(days), days)
    if (range) known.set(days, range)
  }
  return known
}

/** Returns what breaks a law, by the name of the law. */
export const breachesOf = (tree: LawTree): ReadonlyMap<string, readonly string[]> =>
  new Map(
    LAWS.flatMap(({ name, check }) => {
      const breaches = check(tree)
      return breaches.length === 0 ? [] : [[name, breaches] as const]
    }),
  )
