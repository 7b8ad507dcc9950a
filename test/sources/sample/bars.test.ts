import { expect, it } from 'vitest'
import { sampleSources } from '../../../src/core/sources/sample/sample.ts'
import type { CandleRequest, Http } from '../../../src/core/sources/source.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 10, 20, 12)
const noNetwork: Http = { json: () => Promise.reject(new Error('there is no network here')) }

/** Bars of Bitcoin at an exchange of the sample, in the day before noon. */
const barsOf = async (interval: CandleRequest['interval'], market = 'BTC_USDT') => {
  const exchange = sampleSources(NOON, 30).find(({ id }) => id === 'sample-d')
  const range = { from: NOON - 24 * HOUR, to: NOON - (interval === '4h' ? 4 : 1) * HOUR }
  return (await exchange?.candles?.ask(noNetwork, { market, interval, ...range })) ?? []
}

it('has bars whose prices lie between low and high', async () => {
  const bars = await barsOf('1h')
  expect(bars).toHaveLength(24)
  for (const { open, high, low, close, volume_base } of bars) {
    expect(Math.max(open ?? 0, close)).toBeLessThanOrEqual(high ?? 0)
    expect(Math.min(open ?? 0, close)).toBeGreaterThanOrEqual(low ?? Infinity)
    expect(volume_base).toBeGreaterThan(0)
  }
})

it('makes a bar of four hours of its hours', async () => {
  const [hours, joined] = [await barsOf('1h'), await barsOf('4h')]
  expect(joined).toHaveLength(6)
  for (const [index, bar] of joined.entries()) {
    const own = hours.slice(4 * index, 4 * index + 4)
    expect(bar).toMatchObject({ at: own[0]?.at, open: own[0]?.open, close: own[3]?.close })
    expect(bar.high).toBe(Math.max(...own.map(({ high }) => high ?? 0)))
  }
})

it('has none of a market in another currency, or of no asset', async () => {
  expect([await barsOf('1h', 'BTC_EUR'), await barsOf('1h', 'NOSUCHCOIN_USDT')]).toEqual([[], []])
})
