import { tokens } from '@web3icons/common/metadata'
import * as z from 'zod'
import figures from './known-figures.json' with { type: 'json' }
import { compare } from '../../contract/order.ts'
import { DAY_MS, HOUR_MS } from '../../contract/time.ts'
import { OWN_DATA } from '../rights.ts'
import { noiseAt, randomOf, walkAt } from './random.ts'

/** Interval between changes of the market, so that two runs in quick succession see the same data. */
const TICK_MS = 5 * 60 * 1000

/** A made-up asset under a real name. */
export interface SampleAsset {
  readonly id: string
  readonly symbol: string
  readonly name: string
  /** Place in the sample's list, from 1; the seed of its made-up numbers. */
  readonly number: number
  /** Place by market cap, from 1. */
  readonly rank: number
  readonly contracts: readonly { readonly platform: string; readonly address: string; readonly decimals: null }[]
  readonly basePrice: number
  readonly supply: number
  readonly maxSupply: number | null
  /** Volume of an ordinary day as a share of the market cap. */
  readonly turnover: number
  /** Seed of its walk, which is shared with what it is pegged to. */
  readonly seed: number
  /** Standard deviation of the logarithm of its price over a day. */
  readonly volatility: number
  /** No price before this, in ms since 1970. */
  readonly bornAt: number
  /** Missing data, so that the sample has every kind of unknown value. */
  readonly lacks: 'nothing' | 'supply' | 'changes' | 'price'
}

export const SAMPLE_FACTS = {
  host: 'sample.invalid',
  pace: { requests: 1_000_000, perSeconds: 1 },
  rights: OWN_DATA,
} as const

export interface SampleWorld {
  /** Time of the market, in ms since 1970. */
  readonly at: number
  readonly assets: readonly SampleAsset[]
}

// The package has no ranks for the largest assets, and a list without these on top would look broken.
const FIRST = `
  bitcoin ethereum tether binancecoin solana ripple usd-coin dogecoin cardano tron avalanche-2 chainlink stellar polkadot
  litecoin uniswap monero dai cosmos trac-network tap-protocol dmt-nat`
  .trim()
  .split(/\s+/)

/** Dollars for a euro. */
export const EUR_USD = 1.13

/**
 * Prices in US dollars, rounded to three digits, on the day that the sample's prices stay near: 24 June 2026, as Kraken
 * traded them. What Kraken does not trade has 45 % of its price of December 2024, because the market had fallen by about
 * as much. Supplies are of December 2024. A pegged asset is worth `ratio` of what it is pegged to. `turnover` is the share of the
 * market cap that an ordinary day trades, rounded from what aggregators showed in 2024 and 2025.
 */
const FIGURES = z
  .record(
    z.string(),
    z.object({
      price_usd: z.number().optional(),
      peg: z.string().optional(),
      ratio: z.number().default(1),
      circulating: z.number().optional(),
      max: z.number().optional(),
      turnover: z.number().optional(),
    }),
  )
  .parse(figures)

const ECOSYSTEM = [
  { id: 'trac-network', symbol: 'tnk', name: 'Trac Network', addresses: {} },
  { id: 'tap-protocol', symbol: 'tap', name: 'TAP Protocol', addresses: {} },
  {
    id: 'dmt-nat',
    symbol: 'dmt-nat',
    name: 'DMT-NAT',
    addresses: {
      ethereum: '0x249130f5e2dd4cf278180c0df8273f3592ad1247',
      solana: 'FbKRaqBzupLry3V7QujpNghwrHgxutB4MY11M8aeyVa1',
    },
  },
]

const SEED = 20_090_103

interface Token extends Pick<SampleAsset, 'id' | 'symbol' | 'name'> {
  readonly addresses: object
}

/** Returns the sample's market at a time: `count` assets with real names first, then the same names with numbers. */
export function sampleWorld(now: number, count: number): SampleWorld {
  const at = Math.floor(now / TICK_MS) * TICK_MS
  const named = [...ECOSYSTEM, ...tokens.map((token) => ({ ...token, addresses: token.addresses ?? {} }))]
  const first = new Map(FIRST.map((id, index) => [id, index]))
  const place = (token: { readonly id: string; readonly marketCapRank?: number | null }) =>
    first.get(token.id) ?? FIRST.length + (token.marketCapRank || 1_000_000)
  const byId = new Map(named.map((token) => [token.id, token]))
  const sorted = [...byId.values()].toSorted((a, b) => place(a) - place(b) || compare(a.id, b.id))
  const unranked = Array.from({ length: count }, (_, index) => {
    const token = sorted[index % sorted.length]
    if (!token) throw new Error('the sample has no names')
    const round = Math.floor(index / sorted.length)
    return assetOf(token, index, round === 0 ? '' : `-sample-${round + 1}`, at)
  })
  const cap = ({ basePrice, supply }: Omit<SampleAsset, 'rank'>) => basePrice * supply
  const byCap = unranked.toSorted((a, b) => cap(b) - cap(a) || a.number - b.number)
  const ranks = new Map(byCap.map(({ id }, index) => [id, index + 1]))
  return { at, assets: unranked.map((asset) => ({ ...asset, rank: ranks.get(asset.id) ?? count })) }
}

/** Price in US dollars, seed and daily volatility of an asset that is known or pegged to something known. */
function knownPrice(id: string): { readonly price: number; readonly seed: number; readonly volatility: number } | null {
  const { peg, ratio = 1, price_usd: price } = FIGURES[id] ?? {}
  if (peg === 'usd' || peg === 'eur')
    return { price: ratio * (peg === 'usd' ? 1 : EUR_USD), seed: seedOf(id), volatility: 0.000_08 }
  const pegged = peg === undefined ? null : knownPrice(peg)
  if (pegged) return { ...pegged, price: pegged.price * ratio }
  return price === undefined ? null : { price, seed: seedOf(id), volatility: id === 'pax-gold' ? 0.008 : 0.022 }
}

/** The same for an id wherever it stands in the list. */
const seedOf = (id: string): number =>
  Array.from({ length: id.length }, (_, index) => id.charCodeAt(index)).reduce(
    (hash, code) => (Math.imul(hash, 31) + code) | 0,
    SEED,
  )

function assetOf(token: Token, index: number, suffix: string, at: number): Omit<SampleAsset, 'rank'> {
  const random = randomOf(SEED + index)
  const [coins, price, turnover, calm] = [random(), random(), random(), random()]
  const id = token.id + suffix
  const unknown = { price: 10 ** (1 - 6 * price), seed: seedOf(id), volatility: 0.03 + 0.03 * calm }
  const { price: basePrice, seed, volatility } = knownPrice(id) ?? unknown
  return {
    id,
    symbol: token.symbol.toUpperCase() + suffix,
    name: token.name + suffix.replaceAll('-', ' '),
    number: index + 1,
    contracts: suffix === '' ? contractsOf(token.addresses) : [],
    basePrice,
    ...supplyOf(id, index, (0.8 + 0.4 * coins) / basePrice),
    turnover: FIGURES[id]?.turnover ?? (volatility < 0.000_1 ? 0.2 + 0.2 * turnover : 0.01 + 0.08 * turnover ** 2),
    seed,
    volatility,
    // One in forty is younger than a year.
    bornAt: index % 40 === 39 ? at - (3 + (index % 90)) * DAY_MS : 0,
    lacks: index % 97 === 96 ? 'price' : index % 53 === 52 ? 'changes' : index % 31 === 30 ? 'supply' : 'nothing',
  }
}

const contractsOf = (addresses: object): SampleAsset['contracts'] =>
  Object.entries(addresses).map(([platform, address]) => ({ platform, address: String(address), decimals: null }))

/** The known supply, or one with which market caps fall with the rank about as those of the real market. */
function supplyOf(id: string, index: number, coinsPerDollar: number): Pick<SampleAsset, 'supply' | 'maxSupply'> {
  const { circulating, max = null } = FIGURES[id] ?? {}
  if (circulating !== undefined) return { supply: circulating, maxSupply: max }
  const supply = Math.round((1.2e12 / (index + 1) ** 1.7) * coinsPerDollar)
  return { supply, maxSupply: index % 3 === 2 ? null : Math.round(1.25 * supply) }
}

/** Returns the price in US dollars at a time, or null before the asset existed. Assets move in part with the market. */
export function priceAt({ basePrice, seed, volatility, bornAt }: SampleAsset, ms: number): number | null {
  if (ms < bornAt) return null
  return basePrice * Math.exp(volatility * (0.5 * walkAt(SEED, ms) + 0.87 * walkAt(seed, ms)))
}

/** Returns the volume in US dollars of the 24 hours before a time. */
export function volumeAt({ supply, basePrice, turnover, seed }: SampleAsset, ms: number): number {
  return supply * basePrice * turnover * (1 + 0.3 * noiseAt(seed, ms, DAY_MS))
}

/** Returns the change in percent over the hours before a time, or null if the asset did not exist. */
export function changeAt(asset: SampleAsset, ms: number, hours: number): number | null {
  const [now, then] = [priceAt(asset, ms), priceAt(asset, ms - hours * HOUR_MS)]
  return now === null || then === null ? null : (now / then - 1) * 100
}
