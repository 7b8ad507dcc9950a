import * as z from 'zod'
import { byKey, groupBy } from '../contract/order.ts'
import { type DayRates, rows, type Source } from './source.ts'
import { IsoTime, Positive } from './wire.ts'

/** The rates of the European Central Bank alone. It sets one a working day, about 16:00 in Frankfurt. */
const RATES = '/v2/rates?base=USD&providers=ecb'

/** Units of `quote` for one dollar. A rate is carried forward with its own date until the bank sets the next. */
const Row = z.object({
  date: IsoTime.pipe(z.number()),
  base: z.literal('USD'),
  quote: z.string().regex(/^[A-Z]{3}$/),
  rate: Positive.pipe(z.number()),
})

const PastRow = Row.extend({ date: z.iso.date(), base: z.literal('EUR') })

/**
 * Returns the days of rows in euros as dollars for one unit. The bank sets no rates on weekends, so what is dated so is a
 * copy. A day without a rate of the dollar is left out, and so is a currency that a day has twice with different rates.
 */
function daysOf(listed: readonly unknown[], { from, to }: { readonly from: string; readonly to: string }): DayRates[] {
  const rows = listed
    .flatMap((item) => PastRow.safeParse(item).data ?? [])
    .filter(({ date, quote }) => date >= from && date <= to && quote !== 'EUR')
    .filter(({ date }) => ![0, 6].includes(new Date(date).getUTCDay()))
  return [...groupBy(rows, ({ date }) => date)].flatMap(([day, all]) => {
    const rates = [...groupBy(all, ({ quote }) => quote)].flatMap(([quote, own]) => {
      const [rate = 0, ...others] = new Set(own.map((row) => row.rate))
      return others.length > 0 ? [] : [[quote, rate] as const]
    })
    const dollars = new Map(rates).get('USD')
    if (dollars === undefined) return []
    const others = rates.map(([quote, rate]) => [quote, dollars / rate] as const).filter(([quote]) => quote !== 'USD')
    return [{ day, rates_usd: Object.fromEntries([...others, ['EUR', dollars] as const].toSorted(byKey)) }]
  })
}

/** Frankfurter, which serves the daily reference rates of central banks (frankfurter.dev). No key, no published quota. */
export const frankfurter: Source = {
  id: 'frankfurter',
  label: 'ECB (Frankfurter)',
  type: 'reference',
  host: 'api.frankfurter.dev',
  pace: { requests: 1, perSeconds: 1 },
  slow: [{ path: RATES, hours: 6, members: ['date', 'base', 'quote', 'rate'] }],
  rights: {
    class: 'attribution',
    // The policy of the European System of Central Banks for its statistics, as one of its members publishes it.
    terms_url:
      'https://www.mnb.hu/statisztika/a-kber-altal-osszeallitott-statisztikak-tovabbi-felhasznalasaval-kapcsolatos-iranyelvek',
    read_on: '2026-11-22',
    attribution: {
      text: 'Source: ECB statistics, converted to US dollars',
      url: 'https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html',
    },
  },

  pastRates: {
    first: '1999-01-04',
    async ask(http, range) {
      const path = `/v2/rates?base=EUR&providers=ecb&from=${range.from}&to=${range.to}`
      return daysOf(await http.json(path, z.array(z.unknown())), range)
    },
  },

  async observe(http) {
    const listed = await http.json(RATES, z.array(z.unknown()).min(1))
    return rows(Row, listed, ({ date, base, quote, rate }) =>
      quote === base
        ? { kind: 'skipped', reason: 'the dollar itself' }
        : { kind: 'reference', of: { currency: quote }, price_usd: 1 / rate, at: date },
    )
  },
}
