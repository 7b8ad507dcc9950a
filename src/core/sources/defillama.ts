import * as z from 'zod'
import { partsOf, rows, someOf, type Source, unread } from './source.ts'
import { Positive, Seconds } from './wire.ts'

/** Contracts in one request. More than 150 were refused with 413. */
const PER_REQUEST = 100

/** Addresses that a path holds as they are. Ids of the form `coingecko:<id>` are CoinGecko's prices again. */
const ADDRESS = /^[0-9A-Za-z]+$/

const Answer = z.object({ coins: z.record(z.string(), z.unknown()) })

/** `confidence` was 0.99 for prices that were off by a factor of three, so it is not read. */
const Row = z.object({
  platform: z.string(),
  address: z.string(),
  value: z.object({ price: Positive.pipe(z.number()), timestamp: Seconds.pipe(z.number()) }),
})

/** DefiLlama. It publishes no limit; 300 requests a minute is an estimate (github.com/api-evangelist/defillama). */
export const defillama: Source = {
  id: 'defillama',
  label: 'DefiLlama',
  type: 'reference',
  host: 'coins.llama.fi',
  pace: { requests: 2, perSeconds: 1 },
  concurrency: 2,
  rights: unread('https://defillama.com/docs/api'),

  async observe(http, { tokens }) {
    const asked = tokens.filter(({ address }) => ADDRESS.test(address))
    const ids = asked.map(({ platform, address }) => `${platform}:${address}`)
    const { answers, missing } = await someOf(
      partsOf(ids, PER_REQUEST),
      (_, index) => `part ${index + 1} of the prices`,
      (part) => http.json(`/prices/current/${part.join(',')}`, Answer),
    )
    const coins = new Map(answers.flatMap((answer) => Object.entries(answer.coins)))
    const priced = asked
      .map((token) => ({ ...token, value: coins.get(`${token.platform}:${token.address}`) }))
      .filter(({ value }) => value !== undefined)
    const references = rows(Row, priced, ({ platform, address, value: { price, timestamp } }) => ({
      kind: 'reference',
      of: { platform, address },
      price_usd: price,
      at: timestamp,
    }))
    return [...references, ...missing]
  },
}
