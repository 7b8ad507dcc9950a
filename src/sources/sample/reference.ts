import { DAY_MS, dayOf } from '../../contract/time.ts'
import type { Source } from '../source.ts'
import { EUR_USD, SAMPLE_FACTS, type SampleWorld, priceAt } from './world.ts'

const RATES = { EUR: EUR_USD, GBP: 1.31, JPY: 0.0062 } as const

const WEEKEND: ReadonlySet<number> = new Set([0, 6])

/** Returns daily rates of fiat money, and prices of the contracts that are asked for. */
export const sampleReference = ({ at, assets }: SampleWorld): Source => ({
  ...SAMPLE_FACTS,
  id: 'sample-reference',
  label: 'sample reference',
  type: 'reference',
  pastRates: {
    first: `${new Date(at).getUTCFullYear() - 1}-01-01`,
    ask: async (_http, { from, to }) => {
      const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
      return Array.from({ length: days }, (_, day) => Date.parse(from) + day * DAY_MS)
        .filter((day) => !WEEKEND.has(new Date(day).getUTCDay()))
        .map((day) => ({ day: dayOf(day), rates_usd: RATES }))
    },
  },
  async observe(_http, { tokens }) {
    const prices = new Map(
      assets.flatMap((asset) => {
        const price = priceAt(asset, at)
        return price === null ? [] : asset.contracts.map(({ address }) => [address.toLowerCase(), price] as const)
      }),
    )
    const currencies = Object.entries(RATES).map(([currency, price_usd]) => ({
      of: { currency },
      price_usd,
      at: at - (at % DAY_MS),
    }))
    const priced = tokens.flatMap((of) => {
      const price_usd = prices.get(of.address.toLowerCase())
      return price_usd === undefined ? [] : [{ of, price_usd, at }]
    })
    return [...currencies, ...priced].map((reference) => ({ kind: 'reference' as const, ...reference }))
  },
})
