import { groupBy } from '../contract/order.ts'
import type { Report } from '../sources/collect.ts'
import { GATE } from './gate-rules.ts'
import { isHeard } from './health.ts'
import type { Listing, Previous } from './listing.ts'
import type { Snapshot } from './snapshot.ts'
import { median } from './statistics.ts'

/**
 * What the sources that answered say in their own figures, by source: a venue’s last prices by pair, an aggregator’s
 * dollars by its id; null where it names one without a price.
 */
export type OwnFigures = ReadonlyMap<string, ReadonlyMap<string, number | null>>

export const ownFigures = (reports: readonly Report[]): OwnFigures =>
  new Map(reports.filter(isHeard).map((report) => [report.source.id, figuresOf(report)]))

function figuresOf({ quotes, sightings }: Report): Map<string, number | null> {
  const figures = new Map<string, number | null>()
  const learn = (key: string, figure: number | null) => figures.set(key, figures.get(key) ?? figure)
  for (const { base, quote, last } of quotes) learn(`${base}/${quote}`, last)
  for (const { id, price_usd } of sightings) learn(id, price_usd)
  return figures
}

/** Whether a listing has a price of this run. */
export const isFresh = ({ asset: { price_usd, price_basis } }: Listing): boolean =>
  price_usd !== null && price_basis.method !== 'carried'

/** A listing as it is now, under its new slug where it was renamed. */
export function listingNow({ bySlug }: Snapshot, slug: string): Listing | undefined {
  const now = bySlug.get(slug)
  const successor = now?.asset.replaced_by ?? null
  return successor === null ? now : (bySlug.get(successor) ?? now)
}

/** The prices of a listing at the last publication and now, in dollars. */
export type PriceMove = ReturnType<typeof priceMoves>[number]

/** The listings that have a price of their time in both. */
export const priceMoves = ({ listings }: Previous, snapshot: Snapshot) =>
  [...listings.values()].flatMap((before) => {
    const now = listingNow(snapshot, before.asset.slug)
    const [from, to] = [before.asset.price_usd, now?.asset.price_usd ?? null]
    return now && isFresh(before) && isFresh(now) && from !== null && to !== null ? [{ before, from, to }] : []
  })

/**
 * Holds the published prices against each source by itself: what an aggregator said of its own ids, and what a venue
 * said of its own pairs in the one currency that most of them are quoted in. A currency whose published rate moved
 * testifies to nothing, or the rate would be its own witness; nor does a source to listings that it alone prices. `away`
 * is the median over its figures, as a logarithm; 0 where they moved as it says, or closer to it.
 */
export function testimonies(
  moves: readonly PriceMove[],
  own: OwnFigures,
  rates: { readonly before: Previous['rates']; readonly now: Snapshot['rates'] },
) {
  const steady = steadyRates(rates)
  const leastFigures = Math.min(GATE.witness_figures, Math.max(GATE.few_figures, Math.ceil(moves.length / 2)))
  const heard = moves.flatMap((move) => {
    const figures = figuresBefore(move.before)
    if (figures.every(({ source_id }) => source_id === figures[0]?.source_id)) return []
    return figures.flatMap(({ source_id, key, unit, before }) => {
      const figure = own.get(source_id)?.get(key) ?? null
      const rate = steady.get(unit)
      if (figure === null || rate === undefined) return []
      return [{ source_id, unit, away: awayFrom(move, { before: before * rate, now: figure * rate }) }]
    })
  })
  return [...groupBy(heard, ({ source_id }) => source_id)].flatMap(([source_id, all]) => {
    const byUnit = [...groupBy(all, ({ unit }) => unit).values()]
    const most = byUnit.reduce((most, one) => (one.length > most.length ? one : most))
    return most.length < leastFigures ? [] : [{ source_id, away: median(most.map(({ away }) => away)) }]
  })
}

/** The last published rates of the currencies whose rate is about the same now. */
function steadyRates({ before, now }: Parameters<typeof testimonies>[2]): ReadonlyMap<string, number> {
  return new Map(
    now.flatMap(({ symbol, price_usd }) => {
      const last = before.get(symbol)?.price_usd ?? Number.NaN
      return Math.abs(Math.log(price_usd / last)) <= AWAY ? [[symbol, last] as const] : []
    }),
  )
}

/** What each source said of a listing at the last publication, in its own unit, and under which key it says it again. */
function figuresBefore({ asset, markets }: Listing) {
  const { sources, excluded } = asset.price_basis
  return [
    ...markets.flatMap(({ exchange_id, pair, quote_symbol, last_price, price, is_stale }) => {
      const before = last_price ?? price
      return is_stale || before === null ? [] : [{ source_id: exchange_id, key: pair, unit: quote_symbol, before }]
    }),
    ...[...sources, ...excluded].flatMap(({ source_id, price_usd }) => {
      const key = asset.external_ids[source_id]
      return key === undefined || price_usd === null ? [] : [{ source_id, key, unit: 'USD', before: price_usd }]
    }),
  ]
}

/** How far a published price moved away from that of a source; 0 where it is closer to it than before. */
function awayFrom({ from, to }: PriceMove, own: { readonly before: number; readonly now: number }): number {
  const [was, is] = [Math.log(from / own.before), Math.log(to / own.now)]
  return Math.abs(is) > Math.abs(was) ? Math.abs(is - was) : 0
}

/** From where on a source and the published prices contradict each other. */
export const AWAY = Math.log(1 + GATE.witness_percent / 100)
