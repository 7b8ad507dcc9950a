import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { currencyLists } from '../src/run/currency-lists.ts'
import { type Ration, ration } from '../src/run/rationed.ts'
import { usedOf } from '../src/run/quotas.ts'
import { collect } from '../src/sources/collect.ts'
import { type Connection, connect } from '../src/sources/http.ts'
import { type SourceKeys, liveSources } from '../src/sources/table.ts'

const MINUTE = 60_000
const CADENCE_MS = 30 * MINUTE
const RUNS_A_DAY = 48

/** Bodies that some sources need to be asked on: full pages of a list, and answers that lead to further requests. */
const bodyOf = (url: URL): unknown => {
  if (url.pathname.endsWith('/coins/markets')) {
    const page = Number(url.searchParams.get('page'))
    return Array.from({ length: 250 }, (_, row) => ({
      id: `coin-${page}-${row}`,
      symbol: `c${row}`,
      name: `Coin ${row}`,
      current_price: 1,
    }))
  }
  if (url.pathname.endsWith('/v1/tickers'))
    return [{ id: 'btc-bitcoin', symbol: 'BTC', name: 'Bitcoin', rank: 1, quotes: { USD: { price: 1 } } }]
  return []
}

/** Requests that a month of runs made of each source with a quota. */
export interface QuotaBench {
  readonly keys: string
  readonly runs: number
  readonly requests: number
  readonly sources: readonly {
    readonly id: string
    readonly limit: number
    readonly counted: number
    readonly told: number
    readonly spared: number
  }[]
}

/**
 * Runs a calendar month of collections against a gateway that counts, from an empty folder. Each run spends whatever it
 * may on past prices and profiles. Times are made up: pauses end at once.
 */
export async function benchQuota(work: string, days: number): Promise<QuotaBench[]> {
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://gateway')
    const host = url.pathname.split('/')[1] ?? ''
    counts.set(host, (counts.get(host) ?? 0) + 1)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(bodyOf(url)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = isTcp(address) ? address.port : 0
  const variants: readonly { readonly name: string; readonly keys: SourceKeys }[] = [
    { name: 'without keys', keys: {} },
    { name: 'with a free key', keys: { coingecko: { apiKey: 'key', plan: 'demo' } } },
  ]
  try {
    const results: QuotaBench[] = []
    for (const { name, keys } of variants) {
      counts.clear()
      const month = await monthOf({ root: join(work, 'quota'), upstream: `http://127.0.0.1:${port}`, keys, days })
      rmSync(join(work, 'quota'), { recursive: true, force: true })
      results.push({
        keys: name,
        runs: days * RUNS_A_DAY,
        requests: [...counts.values()].reduce((sum, count) => sum + count, 0),
        sources: month.map(({ host, ...row }) => ({ ...row, counted: counts.get(host) ?? 0 })),
      })
    }
    return results
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const isTcp = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === 'object' && address !== null

interface Month {
  readonly root: string
  readonly upstream: string
  readonly keys: SourceKeys
  readonly days: number
}

/** Requests lists, slow lists, profiles and past prices as far as a run may. */
async function spend(run: Ration, now: number, clock: () => number, signal: AbortSignal): Promise<void> {
  await collect(run.sources, {
    at: now,
    now: clock,
    signal,
    connect: run.connect,
    wants: (source) => ({
      listings: null,
      profiles: (ids) => ids.slice(0, Math.min(6, run.profiles(source) ?? 6)),
      tokens: [],
    }),
  })
  await currencyLists({ sources: run.sources, keep: [], read: () => null, connect: run.connect, now })
  for (const source of run.sources) {
    const most = Math.min(run.history.perSource, run.history.most?.(source.id) ?? 0)
    const ask = { market: 'btc', interval: '1d' as const, from: now - 86_400_000, to: now }
    // Only who has a quota is of interest here.
    for (let n = 0; source.quota && n < most; n++) await source.candles?.ask(run.connect(source), ask).catch(() => [])
  }
}

async function monthOf({ root, upstream, keys, days }: Month) {
  const sources = liveSources(keys)
  const from = Date.UTC(2026, 10, 1)
  const spared = new Map<string, number>()
  let clock = 0
  let last: ReturnType<typeof ration> | null = null
  for (let now = from; now < from + days * RUNS_A_DAY * CADENCE_MS; now += CADENCE_MS) {
    const connections: Connection[] = []
    const signal = new AbortController().signal
    const open = (source: (typeof sources)[number]): Connection => {
      const connection = connect(source, {
        upstream: new URL(upstream),
        userAgent: 'quotetree-bench',
        deadline: { at: Infinity, signal },
        now: () => clock,
        random: () => 0.5,
        pause: async (ms) => void (clock += ms),
      })
      connections.push(connection)
      return connection
    }
    const run = ration({
      root,
      sources,
      connect: open,
      history: { perRun: 120, perSource: 15 },
      now,
      cadenceMs: CADENCE_MS,
      listings: null,
    })
    for (const { source } of run.spared) spared.set(source.id, (spared.get(source.id) ?? 0) + 1)
    await spend(run, now, () => clock, signal)
    run.save()
    await Promise.all(connections.map((connection) => connection.close()))
    last = run
  }
  const rows = last?.spentNow() ?? {}
  return sources.flatMap((source) =>
    source.quota
      ? [
          {
            id: source.id,
            host: source.host,
            limit: source.quota.requests,
            told: usedOf(source, rows, from),
            spared: spared.get(source.id) ?? 0,
          },
        ]
      : [],
  )
}
