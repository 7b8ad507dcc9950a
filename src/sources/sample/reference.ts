import { DAY_MS, dayOf } from '../../contract/time.ts'
import { OWN_DATA } from '../rights.ts'
import { type Reference, type Source, source } from '../source.ts'
import { EUR_USD, type SampleWorld, priceAt } from './world.ts'

/** Fiat money with its price in dollars. */
const RATES = { EUR: EUR_USD, GBP: 1.31, JPY: 0.0062 } as const

const WEEKEND: ReadonlySet<number> = new Set([0, 6])

/** Returns daily rates of fiat money, and prices of the contracts that are asked for. */
export const sampleReference = ({ at, assets }: SampleWorld): Source =>
  source({
    id: 'sample-reference',
    label: 'sample reference',
    type: 'reference',
    host: 'sample.invalid',
    pace: { requests: 1_000_000, perSeconds: 1 },
    rights: OWN_DATA,
    pastRates: {
      first: `${new Date(at).getUTCFullYear() - 1}-01-01`,
      ask: async (_http, { from, to }) => {
        const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
        return Array.from({ length: days }, (_, day) => Date.parse(from) + day * DAY_MS)
          .filter((day) => !WEEKEND.has(new Date(day).getUTCDay()))
          .map((day) => ({ day: dayOf(day), rates_usd: RATES }))
      },
    },
    async fetch(_http, { tokens }) {
      const prices = new Map(
        assets.flatMap((asset) => {
          const price = priceAt(asset, at)
          return price === null ? [] : asset.contracts.map(({ address }) => [address.toLowerCase(), price] as const)
        }),
      )
      return tokens.flatMap((token) => {
        const price = prices.get(token.address.toLowerCase())
        return price === undefined ? [] : [{ of: token, price }]
      })
    },
    *parse(priced): Iterable<Reference> {
      for (const [currency, price_usd] of Object.entries(RATES))
        yield { kind: 'reference', of: { currency }, price_usd, at: at - (at % DAY_MS) }
      for (const { of, price } of priced) yield { kind: 'reference', of, price_usd: price, at }
    },
  })
