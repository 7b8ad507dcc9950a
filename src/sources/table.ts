import { binance } from './binance.ts'
import { bybit } from './bybit.ts'
import { coinbase } from './coinbase.ts'
import { coingecko } from './coingecko.ts'
import { coinpaprika } from './coinpaprika.ts'
import { kraken } from './kraken.ts'
import { kucoin } from './kucoin.ts'
import { okx } from './okx.ts'
import type { Source } from './source.ts'

/** Keys of sources that take one. */
export interface SourceKeys {
  readonly coingecko?: { readonly apiKey: string; readonly plan: 'demo' | 'pro' }
}

/** The live sources. Where two say the same, the first in this list is heard. */
export const liveSources = (keys: SourceKeys): readonly Source[] => [
  coingecko(keys.coingecko ?? {}),
  coinpaprika,
  binance,
  coinbase,
  kraken,
  okx,
  bybit,
  kucoin,
]
