import { RatesMembers } from '../contract/rates.ts'
import { endpoint } from './endpoint.ts'

export const rates = endpoint({
  name: 'rates',
  group: 'Lists',
  path: '/rates',
  description:
    'Value in US dollars of fiat money and reference coins, with sources and method. `collector` has the inputs of each.',
  example: '/rates',
  parameters: {},
  members: RatesMembers,
  body: ({ rates, listed }) => ({
    count: rates.length,
    total: listed.length,
    rows: rates.map(({ symbol, price_usd, method, as_of, inputs }) => ({
      symbol,
      price_usd,
      method,
      source_ids: [...new Set(inputs.map(({ source_id }) => source_id))].toSorted(),
      carried_since: method === 'carried' || method === 'reference' ? as_of : null,
    })),
  }),
})
