import type { Pool, Source } from '../source.ts'
import { SAMPLE_FACTS, type SampleAsset, type SampleWorld, changeAt, priceAt, volumeAt } from './world.ts'
import { randomOf } from './random.ts'

const POOLS = 60

const HEX = '0123456789abcdef'
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const drawn = (alphabet: string, length: number, random: () => number): string =>
  Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('')

/** Returns pools of listed tokens against the sample's USDC on the same chain. */
export const sampleDex = ({ at, assets }: SampleWorld): Source => ({
  ...SAMPLE_FACTS,
  id: 'sample-dex',
  label: 'sample DEX',
  type: 'dex',
  async observe() {
    const dollar = assets.find(({ id }) => id === 'usd-coin')
    return assets
      .filter(({ id, contracts, lacks }) => contracts.length > 0 && lacks !== 'price' && id !== 'usd-coin')
      .flatMap((asset) => poolOf(asset, dollar, at))
      .slice(0, POOLS)
  },
})

function poolOf(asset: SampleAsset, dollar: SampleAsset | undefined, at: number): Pool[] {
  const unit = dollar?.contracts.find(({ platform }) => asset.contracts.some((own) => own.platform === platform))
  const own = asset.contracts.find(({ platform }) => platform === unit?.platform)
  const price = priceAt(asset, at)
  const unitPrice = dollar ? priceAt(dollar, at) : null
  if (!unit || !own || price === null || unitPrice === null) return []
  const random = randomOf(asset.number)
  const poolAddress = own.address.startsWith('0x') ? `0x${drawn(HEX, 40, random)}` : drawn(BASE58, 44, random)
  return [
    {
      kind: 'pool',
      dex_id: 'sample-swap',
      dex_name: 'Sample Swap',
      platform: own.platform,
      pool_address: poolAddress,
      base: { address: own.address, symbol: asset.symbol },
      quote: { address: unit.address, symbol: 'USDC' },
      price_native: price / unitPrice,
      price_usd: price * (1 + (random() - 0.5) * 0.004),
      percent_change_24h: changeAt(asset, at, 24),
      volume_24h_usd: volumeAt(asset, at) * 0.01,
      liquidity_usd: volumeAt(asset, at) * 0.05,
      transactions_24h: Math.floor(random() * 5000),
      created_at: Date.UTC(2024, asset.number % 12, 1),
      url: `https://example.com/sample-swap/${poolAddress}`,
    },
  ]
}
