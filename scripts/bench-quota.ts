import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { currencyLists } from '../src/run/currency-lists.ts'
import { type Ration, ration } from '../src/run/rationed.ts'
import { usedOf } from '../src/run/quotas.ts'
import { collect } from '../src/sources/collect.ts'
import { type Connection, connect } from '../src/sources/http.ts'
import { SourceError } from '../src/sources/source-error.ts'
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

/** Day of the month on which the gateway answers nothing but errors, so that each request is retried. */
const BAD_DAY = 10

/**
 * Runs a calendar month of collections against a gateway that counts, from an empty folder. Each run spends whatever it
 * may on past prices and profiles, and one day is nothing but errors. Times are made up: pauses end at once. Sources
 * without a quota are counted without a network.
 */
export async function benchQuota(work: string, days: number): Promise<QuotaBench[]> {
  const counts = new Map<string, number>()
  const clock = { now: 0 }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://gateway')
    const host = url.pathname.split('/')[1] ?? ''
    counts.set(host, (counts.get(host) ?? 0) + 1)
    response.setHeader('content-type', 'application/json')
    if (dayOf(clock.now) === BAD_DAY) response.statusCode = 503
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
      const month = await monthOf({
        root: join(work, 'quota'),
        upstream: `http://127.0.0.1:${port}`,
        keys,
        days,
        clock,
        count: (host) => counts.set(host, (counts.get(host) ?? 0) + 1),
      })
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
  /** The time that the gateway goes by. */
  readonly clock: { now: number }
  readonly count: (host: string) => void
}

const dayOf = (now: number): number => new Date(now).getUTCDate()

/** A connection without a network that counts its requests and answers an empty list. */
function counted(host: string, count: (host: string) => void): Connection {
  const stats = { requests: 0, retries: 0, bytes: 0 }
  return {
    stats,
    close: async () => {},
    async json(path, schema) {
      stats.requests++
      count(host)
      const result = schema.safeParse(bodyOf(new URL(path, `https://${host}`)))
      if (result.success) return result.data
      throw new SourceError('source_invalid', `${host}: another form`)
    },
  }
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

async function monthOf({ root, upstream, keys, days, clock: gateway, count }: Month) {
  const sources = liveSources(keys)
  const from = Date.UTC(2026, 10, 1)
  const spared = new Map<string, number>()
  let clock = 0
  let last: ReturnType<typeof ration> | null = null
  for (let now = from; now < from + days * RUNS_A_DAY * CADENCE_MS; now += CADENCE_MS) {
    gateway.now = now
    const connections: Connection[] = []
    const signal = new AbortController().signal
    const open = (source: (typeof sources)[number]): Connection => {
      if (!source.quota) return counted(source.host, count)
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
