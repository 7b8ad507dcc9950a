import { HOUR_MS, INTERVAL_MS } from '../../contract/time.ts'
import { isLost } from './bars.ts'
import { type CandleRequest, type Profile, type Sighting, type Source, NO_FIGURES, ONE_PRICE } from '../source.ts'
import { SAMPLE_FACTS, type SampleAsset, type SampleWorld, changeAt, priceAt, volumeAt } from './world.ts'
import { WALK_MOST, randomOf } from './random.ts'

/** Within the budget of one run, so that the next one has nothing left to request. */
const PROFILES = 6

function sightingOf(asset: SampleAsset, at: number): Sighting {
  const { id, symbol, name, number, rank, contracts, supply, maxSupply, lacks } = asset
  const price = lacks === 'price' ? null : priceAt(asset, at)
  const coins = lacks === 'supply' ? null : supply
  const day = Array.from({ length: 25 }, (_, hour) => priceAt(asset, at - hour * HOUR_MS)).filter(
    (past) => past !== null,
  )
  return {
    ...NO_FIGURES,
    kind: 'sighting',
    id,
    slugs: [],
    symbol,
    name,
    contracts,
    ...(coins !== null && {
      circulating_supply: coins,
      total_supply: Math.min(Math.round(coins * 1.02), maxSupply ?? Infinity),
      max_supply: maxSupply,
    }),
    ...(price !== null && {
      rank: coins === null ? null : rank,
      price_usd: price,
      volume_24h_usd: volumeAt(asset, at),
      ath_usd: asset.basePrice * Math.exp(asset.volatility * WALK_MOST),
      ath_at: Date.UTC(2025, number % 12, 1 + (number % 28)),
    }),
    ...(price !== null &&
      lacks !== 'changes' && {
        percent_change_1h: changeAt(asset, at, 1),
        percent_change_24h: changeAt(asset, at, 24),
        percent_change_7d: changeAt(asset, at, 24 * 7),
        high_24h_usd: Math.max(...day),
        low_24h_usd: Math.min(...day),
      }),
    at,
  }
}

function profileOf({ id, name, number, rank }: SampleAsset): Profile {
  const site = number % 2 === 0 ? `https://example.com/${id}` : null
  return {
    kind: 'profile',
    id,
    asset_type: null,
    description: `Sample profile of ${name}: a made-up text, like every number beside it.`,
    tags: ['sample', rank <= 20 ? 'large-cap' : 'small-cap'],
    links: { website: site, whitepaper: null, source_code: null, twitter: site, telegram: null, discord: null },
    explorers: site === null ? [] : [site],
    contracts: [],
  }
}

/** Returns the sample's main list, with profiles and a year of past prices. */
export function sampleAggregator({ at, assets }: SampleWorld): Source {
  const byId = new Map(assets.map((asset) => [asset.id, asset]))
  return {
    ...SAMPLE_FACTS,
    type: 'aggregator',
    id: 'sample',
    label: 'sample',
    async observe(_http, wants) {
      const profiled = wants.profiles(assets.slice(0, PROFILES).map(({ id }) => id)).flatMap((id) => byId.get(id) ?? [])
      return [...assets.map((asset) => sightingOf(asset, at)), ...profiled.map(profileOf)]
    },
    candles: {
      intervals: ['15m', '1h', '4h', '1d'],
      most: 1000,
      rolling: true,
      async ask(_http, ask) {
        const asset = byId.get(ask.market)
        return asset && asset.lacks !== 'price' ? barsOf(asset, ask, at) : []
      },
    },
  }
}

function barsOf(asset: SampleAsset, { interval, from, to }: CandleRequest, now: number) {
  const length = INTERVAL_MS[interval]
  const bars = []
  for (let at = Math.ceil(from / length) * length; at <= Math.min(to, now); at += length) {
    const close = isLost(asset, at) ? null : priceAt(asset, at)
    if (close !== null) bars.push({ at, ...ONE_PRICE, close, volume_base: null, volume_quote: volumeAt(asset, at) })
  }
  return bars
}

/** Returns a second list with most of the same assets under other ids. */
export const sampleIndex = ({ at, assets }: SampleWorld): Source => ({
  ...SAMPLE_FACTS,
  type: 'aggregator',
  id: 'sample-index',
  label: 'sample index',
  observe: async () =>
    assets
      .filter(({ number }) => number % 7 !== 0)
      .map((asset) => {
        const noise = 1 + (randomOf(asset.number)() - 0.5) * 0.006
        const sighting = sightingOf(asset, at)
        return {
          ...sighting,
          id: `${asset.symbol.toLowerCase()}-${asset.id}`,
          slugs: [asset.id],
          price_usd: sighting.price_usd === null ? null : sighting.price_usd * noise,
        }
      }),
})
