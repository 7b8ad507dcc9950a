import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { listOf, ownListOf } from '../contract/envelope.ts'
import { PegRow } from '../contract/pegs.ts'
import { textParameter } from '../contract/parameters.ts'
import { RateOfDay, RateRow, RatesOfYearMembers, Year } from '../contract/rates.ts'
import { StockRow } from '../contract/market.ts'
import { Day } from '../contract/words.ts'
import { CHANGES } from '../history/past.ts'
import { ofYear } from '../history/past-rates.ts'
import { endpoint, oneDocument } from './endpoint.ts'

export const rates = oneDocument('Lists', {
  name: 'rates',
  path: '/rates',
  description:
    'Value in US dollars of fiat money and reference coins, with sources and method. `collector` has the inputs of each.',
  members: listOf(RateRow),
  body: ({ rates }) => ({
    rows: rates.map((rate) => ({
      ...rate,
      source_ids: [...new Set(rate.inputs.map(({ source_id }) => source_id))].toSorted(),
      carried_since: rate.method === 'carried' || rate.method === 'reference' ? rate.as_of : null,
    })),
  }),
})

export const pegs = oneDocument('Lists', {
  name: 'pegs',
  path: '/pegs',
  description: 'Stablecoins with their currency, how far they are from it and since when, largest first.',
  members: listOf(PegRow),
  body: (world) => ({ rows: [...world.pegs.values()] }),
})

export const stocks = oneDocument('Lists', {
  name: 'stocks',
  path: '/stocks',
  description: 'Tokens of company shares that at least two venues mark as such, by symbol: prices beside the listings.',
  members: ownListOf(StockRow),
  body: (world) => ({ rows: world.stocks }),
})

export const ratesOfYear = endpoint('History', {
  name: 'rates-of-year',
  path: '/rates/years/:year',
  description:
    'Value in US dollars of the currencies of each day of a year, as a central bank set it or this feed measured it. Coins ' +
    'have the rate of their close in /closes/:day.',
  parameters: { year: textParameter('Calendar year.', Year, 'a year of four digits, from 1999') },
  members: RatesOfYearMembers,
  keys: ({ pastRates }) => [...pastRates.keys()].toSorted().map((one) => ({ year: one })),
  reads: (_world, { year: one }) => [CHANGES.year(one)],
  body: ({ pastRates }, { year: one }) => ofYear(one, pastRates.get(one) ?? []),
})

/** Made of the documents of its year and its closes: one file a day since 1999 would exceed the file limits of hosts. */
export const ratesOfDay = {
  name: 'rates-of-day',
  group: 'History',
  method: 'GET',
  path: '/rates/:day',
  description:
    'Value in US dollars of every currency on one day, each with the day of its rate: on weekends and holidays, the last ' +
    'one before. Needs a host with a function; others serve the document of the year.',
  parameters: { day: textParameter('Calendar day in UTC.', Day, 'a day from 1999-01-04 until today') },
  members: { day: Day.describe('The day that was asked for.'), ...ownListOf(RateOfDay) },
  isDerived: true,
} as const satisfies EndpointSpec
