import { group } from 'd3-array'
import { DAY_MS, INTERVAL_MS } from '../../contract/time.ts'
import type { Candle, CandleRequest } from '../source.ts'
import { randomOf } from './random.ts'
import { type SampleAsset, priceAt, volumeAt } from './world.ts'

/** Whether a bar of an asset is lost: one in sixty lacks some days, a gap that cannot be filled. */
export const isLost = ({ number }: SampleAsset, at: number): boolean => number % 60 === 7 && (at / DAY_MS) % 30 < 3

/**
 * Returns the bars of an asset at one exchange, in dollars, whose share of the volume and whose prices differ by `seed`.
 * A bar of four hours is that of its hours, as at a real exchange.
 */
export function marketBars(asset: SampleAsset, request: CandleRequest, seed: number): Candle[] {
  if (request.interval !== '4h') return ownBars(asset, request, seed)
  const to = request.to + INTERVAL_MS['4h'] - INTERVAL_MS['1h']
  const hours = ownBars(asset, { ...request, interval: '1h', to }, seed)
  const byStart = group(hours, ({ at }) => Math.floor(at / INTERVAL_MS['4h']) * INTERVAL_MS['4h'])
  return [...byStart].flatMap(([at, own]) => (own.length === 4 ? joined(at, own) : []))
}

function joined(at: number, hours: readonly Candle[]): Candle[] {
  const [first, last] = [hours[0], hours.at(-1)]
  if (!first || !last) return []
  const sum = (of: (bar: Candle) => number | null) => hours.reduce((total, bar) => total + (of(bar) ?? 0), 0)
  return [
    {
      at,
      open: first.open,
      high: Math.max(...hours.map(({ high, close }) => high ?? close)),
      low: Math.min(...hours.map(({ low, close }) => low ?? close)),
      close: last.close,
      volume_base: sum(({ volume_base }) => volume_base),
      volume_quote: sum(({ volume_quote }) => volume_quote),
    },
  ]
}

function ownBars(asset: SampleAsset, { interval, from, to }: CandleRequest, seed: number): Candle[] {
  const length = INTERVAL_MS[interval]
  const share = 0.02 + 0.1 * randomOf(seed)()
  const bars: Candle[] = []
  const first = Math.ceil(from / length) * length
  let open = priceAt(asset, first)
  for (let at = first; at <= to; at += length) {
    const close = priceAt(asset, at + length)
    if (open !== null && close !== null && !isLost(asset, at))
      bars.push(barOf(asset, { at, open, close }, { length, seed, share }))
    open = close
  }
  return bars
}

function barOf(
  asset: SampleAsset,
  { at, open, close }: { readonly at: number; readonly open: number; readonly close: number },
  { length, seed, share }: { readonly length: number; readonly seed: number; readonly share: number },
): Candle {
  const random = randomOf(seed + at / 60_000)
  const drift = 1 + (random() - 0.5) * 0.0005
  const wick = asset.volatility * Math.sqrt(length / DAY_MS) * 0.4
  const high = Math.max(open, close) * drift * (1 + wick * random())
  const low = Math.min(open, close) * drift * (1 - wick * random())
  const volume = (volumeAt(asset, at) / close) * share * (length / DAY_MS)
  return { at, open: open * drift, high, low, close: close * drift, volume_base: volume, volume_quote: volume * close }
}
