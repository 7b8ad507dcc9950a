import { NO_FIGURES } from '../../src/core/sources/aggregator.ts'
import { type Pool, type Quote, type Sighting, type Source, OWN_DATA } from '../../src/core/sources/source.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'

export const HOUR = 3_600_000
export const BIRTH = Date.UTC(2026, 10, 20, 12)
/** The rules of the gate begin at 20 listings; a swap or a half list must leave more than that. */
const COINS = 23
/** The last of them are known to one aggregator alone, and trade nowhere. */
const LONELY = 3

/** What a source may do in a run beside telling the truth. */
export const LIES = ['silent', 'half', 'repeat', 'spam', 'tenfold', 'drift', 'swap', 'zero', 'old', 'broken'] as const
export type Lie = (typeof LIES)[number]

export const AGGREGATORS = ['list', 'index'] as const
export const EXCHANGES = ['alpha', 'beta', 'gamma'] as const

export interface Coin {
  readonly id: string
  readonly name: string
  readonly price: number
  readonly isLonely: boolean
}

export const coinsOf = (random: () => number, count = COINS): readonly Coin[] =>
  Array.from({ length: count }, (_, number) => ({
    id: `coin-${number}`,
    name: `Coin ${number}`,
    price: 10 ** (random() * 5 - 2),
    isLonely: number >= count - LONELY,
  }))

export const truthOf = (coin: Coin, now: number): number =>
  coin.price * (1 + 0.05 * Math.sin((now - BIRTH) / HOUR / 3 + coin.price))

export interface Telling {
  readonly lie: Lie | null
  readonly since: number
}

export function sourceOf(
  id: string,
  type: 'aggregator' | 'exchange' | 'dex',
  {
    coins,
    now,
    lie,
    since,
    truth = truthOf,
  }: Telling & { readonly coins: readonly Coin[]; readonly now: number; readonly truth?: typeof truthOf },
): Source {
  const known = coins.filter(({ isLonely }) => !isLonely || id === 'list')
  const factor = lie === 'tenfold' ? 10 : lie === 'drift' ? 1.29 ** (1 + (now - since) / (HOUR / 2)) : 1
  const told = (coin: Coin) => (lie === 'zero' ? null : truth(coin, now) * factor)
  const at = lie === 'old' ? now - 30 * HOUR : now
  return {
    id,
    label: id,
    type,
    host: `${id}.example`,
    pace: { requests: 1, perSeconds: 1 },
    rights: OWN_DATA,
    observe: async () => {
      if (lie === 'silent') throw new SourceError('source_timeout', `${id}: silent`)
      const rows = known.map((coin, index) => {
        const other = lie === 'swap' ? (known[index ^ 1] ?? coin) : coin
        if (type === 'dex') return poolOf(coin, told(coin))
        return type === 'aggregator' ? sightingOf(coin.id, other, told(other), at) : quoteOf(coin, told(coin), at)
      })
      if (lie === 'half') return rows.slice(0, rows.length / 2)
      if (lie === 'repeat') return [...rows, ...rows]
      if (lie === 'broken') return rows.map(() => ({ kind: 'rejected', reason: 'broken' }))
      if (lie === 'spam' && type === 'aggregator') return [...rows, ...spam(known, now, at)]
      return rows
    },
  }
}

const sightingOf = (id: string, { name, id: own }: Coin, price_usd: number | null, at: number): Sighting => ({
  kind: 'sighting',
  ...NO_FIGURES,
  id,
  slugs: [],
  symbol: symbolOf(own),
  name,
  contracts: [{ platform: 'ethereum', address: addressOf(own), decimals: null }],
  price_usd,
  volume_24h_usd: 1_000_000,
  circulating_supply: 1_000_000,
  at,
})

const symbolOf = (id: string): string => `C${id.replace(/\D/g, '')}X`
const addressOf = (id: string): string => `0x${id.replace(/\D/g, '').padStart(40, '7')}`

const quoteOf = ({ id }: Coin, last: number | null, at: number): Quote => ({
  kind: 'quote',
  market: `${symbolOf(id)}-USD`,
  base: symbolOf(id),
  quote: 'USD',
  last,
  bid: last,
  ask: last,
  volume_24h_base: last === null ? null : 1_000_000 / last,
  volume_24h_quote: null,
  percent_change_24h: null,
  at,
  trade_url: null,
})

const poolOf = ({ id }: Coin, price_usd: number | null): Pool => ({
  kind: 'pool',
  dex_id: 'swap',
  dex_name: 'Swap',
  platform: 'ethereum',
  pool_address: addressOf(id).replace('0x7', '0x8'),
  base: { address: addressOf(id), symbol: symbolOf(id) },
  quote: { address: `0x${'9'.repeat(40)}`, symbol: 'USDX' },
  price_native: price_usd,
  price_usd,
  percent_change_24h: null,
  volume_24h_usd: 100_000,
  liquidity_usd: 1_000_000,
  transactions_24h: 1000,
  created_at: BIRTH - 240 * HOUR,
  url: null,
})

/** As many new coins again, half of them under the names of known ones. */
const spam = (known: readonly Coin[], now: number, at: number): Sighting[] =>
  known.map((coin, index) => {
    const fake = { ...coin, id: `spam-${index + 1000}`, name: index % 2 === 0 ? coin.name : `Spam ${index}` }
    return sightingOf(fake.id, fake, truthOf(coin, now), at)
  })
