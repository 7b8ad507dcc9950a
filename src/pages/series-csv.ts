import type { HistoryAnswer } from '../client/answers.ts'
import { decimal } from '../contract/numbers.ts'

/** Returns a series as CSV (RFC 4180): time, price and volume in US dollars, with an empty cell where a volume is unknown. */
export const seriesCsv = ({ rows }: Pick<HistoryAnswer, 'rows'>): string =>
  [
    'timestamp,price_usd,volume_24h_usd',
    ...rows.map(({ timestamp, price_usd, volume_24h_usd }) =>
      [timestamp, decimal(price_usd), volume_24h_usd === null ? '' : decimal(volume_24h_usd)].join(','),
    ),
  ]
    .map((line) => `${line}\r\n`)
    .join('')
