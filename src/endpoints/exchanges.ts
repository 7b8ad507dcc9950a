import { ExchangeId, ExchangeMembers, ExchangesMembers } from '../contract/exchange.ts'
import type { Parameter } from '../contract/parameters.ts'
import { healthFrom } from '../feed/health.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import type { Venue } from '../feed/venues.ts'
import { endpoint } from './endpoint.ts'

const exchange = {
  description: 'Id of the venue: `exchange_id` of `exchanges`.',
  schema: ExchangeId,
  type: 'string',
  allowed: 'an exchange_id that /exchanges lists',
} as const satisfies Parameter<string>

function venueOf({ venues }: Snapshot, id: string): Venue {
  const venue = venues.get(id)
  if (!venue) throw new Error(`no venue has the id ${id}`)
  return venue
}

export const exchangeMarkets = endpoint({
  name: 'exchange',
  group: 'Lists',
  path: '/exchanges/:exchange',
  description: 'One venue and all its markets, by volume, flagged markets last.',
  example: '/exchanges',
  parameters: { exchange },
  members: ExchangeMembers,
  keys: ({ venues }) => [...venues.keys()].map((exchange) => ({ exchange })),
  health: (world, { exchange }) => {
    const { sources, markets } = venueOf(world, exchange)
    return healthFrom(sources, markets.length > 0)
  },
  body: (world, { exchange }) => {
    const { row, markets } = venueOf(world, exchange)
    return { exchange: row, count: markets.length, rows: markets.map(({ slug, market }) => ({ ...market, slug })) }
  },
})

export const exchanges = endpoint({
  name: 'exchanges',
  group: 'Lists',
  path: '/exchanges',
  description: 'All venues with status, markets, volume, shares of used volume and of outliers, and rights, by volume.',
  example: '/exchanges',
  parameters: {},
  members: ExchangesMembers,
  body: ({ venues, listed }) => ({
    count: venues.size,
    total: listed.length,
    rows: [...venues.values()].map(({ row }) => row),
  }),
})
