import { tokens } from '@web3icons/common/metadata'

/** Interval between changes of the market, so that two runs in quick succession see the same data. */
const TICK_MS = 5 * 60 * 1000

/** Returns a generator of reproducible numbers between 0 and 1: mulberry32, by Tommy Ettinger, public domain. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Wave {
  readonly height: number
  readonly perMs: number
  readonly phase: number
}

/** A made-up asset under a real name. */
export interface SampleAsset {
  readonly id: string
  readonly symbol: string
  readonly name: string
  readonly rank: number
  readonly contracts: readonly { readonly platform: string; readonly address: string; readonly decimals: null }[]
  readonly basePrice: number
  readonly supply: number
  readonly turnover: number
  readonly waves: readonly Wave[]
  /** No price before this, in ms since 1970. */
  readonly bornAt: number
  /** Missing data, so that the sample has every kind of unknown value. */
  readonly lacks: 'nothing' | 'supply' | 'changes' | 'price'
}

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

const KNOWN_PRICES: Readonly<Record<string, number>> = {
  bitcoin: 97_000,
  ethereum: 3_400,
  tether: 1,
  'usd-coin': 1,
  dai: 1,
  binancecoin: 650,
  solana: 190,
  ripple: 1.4,
  dogecoin: 0.38,
  'trac-network': 0.47,
  'tap-protocol': 0.15,
  'dmt-nat': 0.000_000_09,
}
/** Dollars for a euro. */
export const EUR_USD = 1.08

const STABLE = new Set(['tether', 'usd-coin', 'dai'])

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

const HOUR = 3_600_000
const SEED = 20_090_103

/** Returns the sample's market at a time: `count` assets with real names first, then the same names with numbers. */
export function sampleWorld(now: number, count: number): SampleWorld {
  const at = Math.floor(now / TICK_MS) * TICK_MS
  const named = [...ECOSYSTEM, ...tokens.map((token) => ({ ...token, addresses: token.addresses ?? {} }))]
  const first = new Map(FIRST.map((id, index) => [id, index]))
  const rank = (token: { readonly id: string; readonly marketCapRank?: number | null }) =>
    first.get(token.id) ?? FIRST.length + (token.marketCapRank ?? 1_000_000)
  const byId = new Map(named.map((token) => [token.id, token]))
  const sorted = [...byId.values()].toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1))
  const assets = Array.from({ length: count }, (_, index) => {
    const token = sorted[index % sorted.length]
    if (!token) throw new Error('the sample has no names')
    const round = Math.floor(index / sorted.length)
    return assetOf(token, index, round === 0 ? '' : `-sample-${round + 1}`, at)
  })
  return { at, assets }
}

function assetOf(
  token: { readonly id: string; readonly symbol: string; readonly name: string; readonly addresses: object },
  index: number,
  suffix: string,
  at: number,
): SampleAsset {
  const random = randomOf(SEED + index)
  const [height, price, coins, turnover] = [random(), random(), random(), random()]
  const cap = (2e12 * (0.8 + 0.4 * coins)) / (index + 1) ** 1.35
  const basePrice = KNOWN_PRICES[token.id] ?? 10 ** (3 - 9 * price ** 1.5)
  const calm = STABLE.has(token.id) ? 0.002 : 1
  const wave = (share: number, periodHours: number): Wave => ({
    height: share * calm * (0.5 + height),
    perMs: (2 * Math.PI) / (periodHours * (0.7 + 0.6 * random()) * HOUR),
    phase: random() * 2 * Math.PI,
  })
  return {
    id: token.id + suffix,
    symbol: token.symbol.toUpperCase() + suffix,
    name: token.name + suffix.replaceAll('-', ' '),
    rank: index + 1,
    contracts:
      suffix === ''
        ? Object.entries(token.addresses).map(([platform, address]) => ({
            platform,
            address: String(address),
            decimals: null,
          }))
        : [],
    basePrice,
    supply: Math.round(cap / basePrice),
    turnover: 0.005 + 0.15 * turnover ** 3,
    waves: [wave(0.35, 24 * 300), wave(0.15, 24 * 40), wave(0.06, 24 * 6), wave(0.03, 30), wave(0.01, 3)],
    // One in forty is younger than a year.
    bornAt: index % 40 === 39 ? at - (3 + (index % 90)) * 24 * HOUR : 0,
    lacks: index % 97 === 96 ? 'price' : index % 53 === 52 ? 'changes' : index % 31 === 30 ? 'supply' : 'nothing',
  }
}

/** Returns the price in US dollars at a time, or null before the asset existed. */
export function priceAt({ basePrice, waves, bornAt }: SampleAsset, ms: number): number | null {
  if (ms < bornAt) return null
  let swing = 0
  for (const { height, perMs, phase } of waves) swing += height * Math.sin(ms * perMs + phase)
  return basePrice * Math.exp(swing)
}

/** Returns the volume in US dollars of the 24 hours before a time. */
export function volumeAt(asset: SampleAsset, ms: number): number {
  const wave = asset.waves[3]
  const swing = wave ? Math.sin(ms * wave.perMs * 0.8 + wave.phase) : 0
  return asset.supply * asset.basePrice * asset.turnover * (1 + 0.3 * swing)
}

/** Returns the change in percent over the hours before a time, or null if the asset did not exist. */
export function changeAt(asset: SampleAsset, ms: number, hours: number): number | null {
  const [now, then] = [priceAt(asset, ms), priceAt(asset, ms - hours * HOUR)]
  return now === null || then === null ? null : (now / then - 1) * 100
}
