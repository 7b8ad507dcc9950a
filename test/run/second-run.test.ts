import { expect, it } from 'vitest'
import { published } from '../../src/endpoints/table.ts'
import { knownAssets } from '../../src/registry/known-assets.ts'
import { openRegistry } from '../../src/registry/registry.ts'
import { snapshot } from '../../src/run/run.ts'
import { connect } from '../../src/sources/http.ts'
import { liveSources } from '../../src/sources/table.ts'
import { faultyUpstream } from '../faults/upstream.ts'
import { NOON, newFolder } from '../sample-tree.ts'

it('a run half an hour later asks each source for its quotes, and for nothing else that is still fresh', async () => {
  const root = newFolder()
  const registry = openRegistry()
  const upstream = await faultyUpstream()
  const asked = async (now: number): Promise<string[]> => {
    const paths: string[] = []
    const connections: ReturnType<typeof connect>[] = []
    await snapshot({
      root,
      kind: 'live',
      sources: liveSources({}),
      registry,
      known: knownAssets(registry),
      now,
      wallNow: Date.now(),
      elapsed: () => performance.now(),
      signal: new AbortController().signal,
      connect(source) {
        const connection = connect(source, {
          upstream: upstream.url,
          userAgent: 'test',
          deadline: { at: Infinity, signal: new AbortController().signal },
          now: () => performance.now(),
          random: () => 0,
          pause: async () => {},
        })
        connections.push(connection)
        return {
          stats: connection.stats,
          close: () => connection.close(),
          json(path, schema) {
            paths.push(`${source.host}${path.split('?')[0]}`)
            return connection.json(path, schema)
          },
        }
      },
      listings: null,
      history: { perRun: 0, perSource: 0 },
      composition: { endpoints: published, attachments: [] },
      fresh: false,
    })
    await Promise.all(connections.map((connection) => connection.close()))
    return paths.toSorted()
  }
  try {
    const first = await asked(NOON)
    // Now the contracts to ask pools and prices for are known.
    const second = await asked(NOON + 1_800_000)
    const third = await asked(NOON + 3_600_000)
    const isOfTokens = (path: string) => /^(api\.dexscreener|api\.geckoterminal|coins\.llama)/.test(path)
    const isProfile = (path: string) => /\/coins\/c[a-z]{2}/.test(path)
    expect([...new Set(third)].filter((path) => !isOfTokens(path) && !isProfile(path))).toEqual([
      'api-pub.bitfinex.com/v2/tickers',
      'api.binance.com/api/v3/ticker/24hr',
      'api.bybit.com/v5/market/tickers',
      'api.coingecko.com/api/v3/coins/markets',
      'api.coinlore.net/api/tickers/',
      'api.coinpaprika.com/v1/tickers',
      'api.crypto.com/exchange/v1/public/get-tickers',
      'api.exchange.coinbase.com/products/stats',
      'api.gateio.ws/api/v4/spot/tickers',
      'api.huobi.pro/market/tickers',
      'api.kraken.com/0/public/Ticker',
      'api.kucoin.com/api/v1/market/allTickers',
      'api.mexc.com/api/v3/ticker/24hr',
      'www.bitstamp.net/api/v2/ticker/',
      'www.okx.com/api/v5/market/tickers',
    ])
    // A profile that was not given does not keep the others from their turn.
    const profiles = [first, second, third].map((paths) => paths.filter(isProfile))
    expect(profiles.map(({ length }) => length)).toEqual([12, 12, 12])
    expect(new Set(profiles.flat()).size).toBe(36)
  } finally {
    await upstream.close()
  }
})
