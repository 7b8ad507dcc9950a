import * as z from 'zod'
import type { Interval } from '../contract/history.ts'
import { type Candles, ONE_PRICE } from './source.ts'
import { IsoTime, Positive } from './wire.ts'

const Tick = z.object({ timestamp: IsoTime.pipe(z.number()), price: Positive.pipe(z.number()), volume_24h: Positive })

// There is no step of four hours; two of two hours fill one bucket.
const STEPS: Readonly<Record<Interval, { readonly step: string; readonly seconds: number }>> = {
  '15m': { step: '15m', seconds: 900 },
  '1h': { step: '1h', seconds: 3600 },
  '4h': { step: '2h', seconds: 4 * 3600 },
  '1d': { step: '1d', seconds: 24 * 3600 },
}

/** Past tickers. The free plan has few of them or none, and the answer to the rest is 402. */
export const history: Candles = {
  intervals: ['15m', '1h', '4h', '1d'],
  // Half the limit, because an ask for four hours comes back in steps of two.
  most: 500,
  rolling: true,
  async ask(http, { market, interval, from, to }) {
    const { step, seconds } = STEPS[interval]
    const range = `start=${from / 1000}&end=${to / 1000 + seconds - 1}&interval=${step}&limit=1000`
    const path = `/v1/tickers/${encodeURIComponent(market)}/historical?${range}`
    const ticks = await http.json(path, z.array(z.unknown()))
    return ticks.flatMap((tick) => {
      const { data } = Tick.safeParse(tick)
      return data
        ? [{ at: data.timestamp, ...ONE_PRICE, close: data.price, volume_base: null, volume_quote: data.volume_24h }]
        : []
    })
  },
}
