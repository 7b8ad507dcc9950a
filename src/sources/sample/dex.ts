import { type Pool, type Source, source } from '../source.ts'
import { type SampleAsset, type SampleWorld, changeAt, priceAt, randomOf, volumeAt } from './world.ts'

const POOLS = 60

/** Pools on the contracts of listed tokens, against the sample's USDC on the same chain. */
export const sampleDex = ({ at, assets }: SampleWorld): Source =>
  source({
    id: 'sample-dex',
    label: 'sample DEX',
    type: 'dex',
    host: 'sample.invalid',
    pace: { requests: 1_000_000, perSeconds: 1 },
    terms: null,
    async fetch() {
      const dollar = assets.find(({ id }) => id === 'usd-coin')
      return assets
        .filter(({ id, contracts, lacks }) => contracts.length > 0 && lacks !== 'price' && id !== 'usd-coin')
        .flatMap((asset) => poolOf(asset, dollar, at))
        .slice(0, POOLS)
    },
    parse: (pools) => pools,
  })

function poolOf(asset: SampleAsset, dollar: SampleAsset | undefined, at: number): Pool[] {
  const unit = dollar?.contracts.find(({ platform }) => asset.contracts.some((own) => own.platform === platform))
  const own = asset.contracts.find(({ platform }) => platform === unit?.platform)
  const price = priceAt(asset, at)
  if (!unit || !own || price === null) return []
  const random = randomOf(asset.rank)
  const hex = Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('')
  return [
    {
      kind: 'pool',
      dex_id: 'sample-swap',
      dex_name: 'Sample Swap',
      platform: own.platform,
      pool_address: `0x${hex}`,
      base: { address: own.address, symbol: asset.symbol },
      quote: { address: unit.address, symbol: 'USDC' },
      price_native: price,
      price_usd: price * (1 + (random() - 0.5) * 0.004),
      percent_change_24h: changeAt(asset, at, 24),
      volume_24h_usd: volumeAt(asset, at) * 0.01,
      liquidity_usd: volumeAt(asset, at) * 0.05,
      transactions_24h: Math.floor(random() * 5000),
      created_at: Date.UTC(2024, asset.rank % 12, 1),
      url: `https://example.com/sample-swap/${hex}`,
    },
  ]
}
