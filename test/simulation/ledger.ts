import { HOUR } from './market.ts'

const DAY = 24 * HOUR

/** What one publication showed: its time, and the true price of each listing that some source told. */
export interface Publication {
  readonly at: number
  readonly prices: ReadonlyMap<string, number>
}

/** A day of one listing as a reader of every publication sees it. */
export interface Day {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly runs: number
}

/** Books of a market kept beside the program, of which they share nothing: they know the market and the times of publications. */
export class Ledger {
  readonly publications: Publication[] = []

  get newest(): number {
    return this.publications.at(-1)?.at ?? 0
  }

  /** The last price of a listing in each bucket of a window of so many days that ends with the newest publication. */
  points(id: string, days: number, bucketMs: number): { readonly from: number; readonly prices: Map<number, number> } {
    const from = Math.floor(this.newest / bucketMs) * bucketMs - days * DAY + bucketMs
    const prices = new Map<number, number>()
    for (const publication of this.publications) {
      const price = publication.prices.get(id)
      if (price !== undefined && publication.at >= from)
        prices.set(Math.floor(publication.at / bucketMs) * bucketMs, price)
    }
    return { from, prices }
  }

  /** Every day with a publication, by its date. */
  days(): Map<string, { readonly runs: number; readonly listings: Map<string, Day> }> {
    const days = new Map<string, { runs: number; readonly listings: Map<string, Day> }>()
    for (const { at, prices } of this.publications) {
      const date = new Date(at).toISOString().slice(0, 10)
      const day = days.get(date) ?? { runs: 0, listings: new Map<string, Day>() }
      days.set(date, day)
      day.runs++
      for (const [id, price] of prices) {
        const { open, high, low, runs } = day.listings.get(id) ?? { open: price, high: price, low: price, runs: 0 }
        day.listings.set(id, {
          open,
          high: Math.max(high, price),
          low: Math.min(low, price),
          close: price,
          runs: runs + 1,
        })
      }
    }
    return days
  }
}
