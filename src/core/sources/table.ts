import { binance } from './binance.ts'
import { bitfinex } from './bitfinex.ts'
import { bitget } from './bitget.ts'
import { bithumb } from './bithumb.ts'
import { bitstamp } from './bitstamp.ts'
import { bitvavo } from './bitvavo.ts'
import { bybit } from './bybit.ts'
import { coinbase } from './coinbase.ts'
import { coinex } from './coinex.ts'
import { coingecko } from './coingecko.ts'
import { coinlore } from './coinlore.ts'
import { coinpaprika } from './coinpaprika.ts'
import { cryptocom } from './cryptocom.ts'
import { defillama } from './defillama.ts'
import { dexscreener } from './dexscreener.ts'
import { frankfurter } from './frankfurter.ts'
import { gate } from './gate.ts'
import { geckoterminal } from './geckoterminal.ts'
import { htx } from './htx.ts'
import { kraken } from './kraken.ts'
import { kucoin } from './kucoin.ts'
import { lbank } from './lbank.ts'
import { mexc } from './mexc.ts'
import { okx } from './okx.ts'
import type { Source } from './source.ts'
import { upbit } from './upbit.ts'
import { whitebit } from './whitebit.ts'

/** Returns the live sources. If several report the same member, the first in this list is used. */
export const liveSources = (keys: Parameters<typeof coingecko>[0] = {}): readonly Source[] => [
  coingecko(keys),
  coinpaprika,
  coinlore,
  binance,
  coinbase,
  kraken,
  okx,
  bybit,
  kucoin,
  gate,
  bitstamp,
  bitfinex,
  mexc,
  htx,
  cryptocom,
  bitget,
  coinex,
  whitebit,
  upbit,
  bithumb,
  bitvavo,
  lbank,
  dexscreener,
  geckoterminal,
  frankfurter,
  defillama,
]
