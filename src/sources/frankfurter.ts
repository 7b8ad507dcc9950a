import * as z from 'zod'
import { picked } from './slow-lists.ts'
import { rows, source } from './source.ts'
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

/** Frankfurter, which serves the daily reference rates of central banks (frankfurter.dev). No key, no published quota. */
export const frankfurter = source({
  id: 'frankfurter',
  label: 'ECB (Frankfurter)',
  type: 'reference',
  host: 'api.frankfurter.dev',
  pace: { requests: 1, perSeconds: 1 },
  slow: [{ path: RATES, hours: 6, keep: picked('date', 'base', 'quote', 'rate') }],
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

  fetch: (http) => http.json(RATES, z.array(z.unknown()).min(1)),

  *parse(listed) {
    yield* rows(Row, listed, ({ date, base, quote, rate }) =>
      quote === base
        ? { kind: 'skipped', reason: 'the dollar itself' }
        : { kind: 'reference', of: { currency: quote }, price_usd: 1 / rate, at: date },
    )
  },
})
