import { ensured } from '../contract/order.ts'
import type { Ms } from '../contract/time.ts'
import type { Days } from '../contract/history.ts'
import type { PastRow } from '../contract/observations.ts'
import type { Rates } from '../feed/rates.ts'
import { median } from '../feed/statistics.ts'
import { type Moment, barsFor, bucketOf } from './grid.ts'
import { type ListingPast, pricesOf } from './past.ts'
import { type GapRequest, REFERENCES, isReference } from './plan.ts'

/** Whether an answer, or a request, is of what such a coin was worth in dollars: it comes before those quoted in it. */
export const isOfReference = ({ slug, quote }: Pick<PastRow, 'slug' | 'quote'>): boolean =>
  quote === 'USD' && isReference(slug)

/** Past rates of the quote currencies, from their own past and from the answers of this run. */
export function quoteRates(past: ReadonlyMap<string, ListingPast>, rates: Rates, { grid, now }: Moment) {
  const learned = new Map<string, number[]>()
  const keyOf = (slug: string, interval: PastRow['interval'], ms: Ms) =>
    `${slug} ${barsFor(interval)} ${bucketOf(ms, barsFor(interval))}`
  const answered = (slug: string, interval: PastRow['interval'], ms: Ms): number | null =>
    median(learned.get(keyOf(slug, interval, ms)) ?? []) || null
  const firstDays = new Map<string, number>()

  /** Takes an answer that {@link isOfReference}. */
  function learn({ slug, interval, bars }: PastRow): void {
    for (const [ms, close] of bars) {
      ensured(learned, keyOf(slug, interval, ms), () => []).push(close)
      if (interval === '1d') firstDays.set(slug, Math.min(firstDays.get(slug) ?? Infinity, ms))
    }
  }

  const priceAt = (past: ListingPast, range: Days, ms: Ms): number | null => {
    const { interval, columns, price } = pricesOf(past, range, grid)
    return columns.value(price, bucketOf(ms, interval))
  }

  /** The rate at a time in ms since 1970: that of its bucket, else that of its day; null: unknown. */
  const rateOf =
    ({ quote, days, interval }: Pick<PastRow, 'quote' | 'days' | 'interval'>) =>
    (ms: Ms): number | null => {
      if (quote === 'USD') return 1
      const slug = REFERENCES.get(quote) ?? ''
      const own = past.get(slug)
      return (
        (own && days !== 'all' ? priceAt(own, days, ms) : null) ??
        answered(slug, interval, ms) ??
        own?.days.value('close_usd', bucketOf(ms, '1d')) ??
        answered(slug, '1d', ms) ??
        (bucketOf(ms, '1d') === bucketOf(now, '1d') ? (rates.get(quote)?.price_usd ?? null) : null)
      )
    }

  /** Whether days can be asked for in a currency now: they are asked for once, and days without a rate would be lost. */
  function covers({ days, quote, requests: [first] }: GapRequest): boolean {
    const slug = REFERENCES.get(quote)
    if (days !== 'all' || slug === undefined || first === undefined) return true
    const { asked = [], days: known } = past.get(slug) ?? {}
    const isExhausted = asked.length > 0 && asked.every(({ complete }) => complete)
    const from = Math.min(known?.first('close_usd') ?? Infinity, firstDays.get(slug) ?? Infinity)
    return isExhausted || from <= first.from
  }
  return { learn, rateOf, covers }
}
