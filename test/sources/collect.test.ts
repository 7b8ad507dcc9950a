import { NO_FIGURES } from '../../src/core/sources/aggregator.ts'
import { describe, expect, it } from 'vitest'
import { collect, type CollectOptions, type Report } from '../../src/core/sources/collect.ts'
import type { Connection } from '../../src/core/sources/http.ts'
import {
  type Observation,
  type Pool,
  type Profile,
  type Quote,
  type Reference,
  type Sighting,
  type Source,
  OWN_DATA,
} from '../../src/core/sources/source.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { nothingMore, replies } from './replies.ts'

const sighting: Sighting = {
  kind: 'sighting',
  ...NO_FIGURES,
  id: 'a',
  slugs: [],
  symbol: 'A',
  name: 'A',
  rank: 1,
  price_usd: 1,
}
const profile: Profile = {
  kind: 'profile',
  id: 'a',
  asset_type: null,
  description: null,
  tags: [],
  links: { website: null, whitepaper: null, source_code: null, twitter: null, telegram: null, discord: null },
  explorers: [],
  contracts: [],
}
const quote: Quote = {
  kind: 'quote',
  market: 'A-USD',
  base: 'A',
  quote: 'USD',
  last: 1,
  bid: null,
  ask: null,
  volume_24h_base: null,
  volume_24h_quote: null,
  percent_change_24h: null,
  at: null,
  trade_url: null,
}
const pool: Pool = {
  kind: 'pool',
  dex_id: 'd',
  dex_name: 'D',
  platform: 'p',
  pool_address: '0x1',
  base: { address: '0x2', symbol: 'A' },
  quote: { address: '0x3', symbol: 'B' },
  price_native: null,
  price_usd: null,
  percent_change_24h: null,
  volume_24h_usd: null,
  liquidity_usd: null,
  transactions_24h: null,
  created_at: null,
  url: null,
}
const reference: Reference = { kind: 'reference', of: { currency: 'EUR' }, price_usd: 1.1, at: 1_700_000_000_000 }
const skipped: Observation = { kind: 'skipped', reason: 'a future' }
const rejected: Observation = { kind: 'rejected', reason: 'last: negative' }

const sourceOf = (observe: Source['observe'], facts: Partial<Source> = {}): Source => ({
  id: 'venue',
  label: 'Venue',
  type: 'exchange',
  host: 'api.venue.example',
  pace: { requests: 1, perSeconds: 1 },
  rights: OWN_DATA,
  observe,
  ...facts,
})
const saying = (observations: readonly Observation[], facts: Partial<Source> = {}) =>
  sourceOf(async () => observations, facts)

const connection: Connection = { ...replies({}), stats: { requests: 3, retries: 1, bytes: 9 }, close: async () => {} }

const run = (sources: readonly Source[], options: Partial<CollectOptions> = {}) =>
  collect(sources, {
    at: Date.UTC(2024, 0, 5),
    now: () => 0,
    signal: new AbortController().signal,
    connect: () => connection,
    wants: () => nothingMore,
    ...options,
  })

it('sorts the rows of a source by kind and counts them', async () => {
  const source = saying([quote, skipped, sighting, pool, rejected, profile, reference, quote])
  const clock = [100, 350]
  const [report] = await run([source], { now: () => clock.shift() ?? 0 })
  const own = { source_id: 'venue' }
  expect(report).toEqual({
    source,
    recorded: expect.any(Array),
    sightings: [{ ...own, ...sighting }],
    profiles: [{ ...own, ...profile }],
    stocks: [],
    quotes: [
      { ...own, ...quote },
      { ...own, ...quote },
    ],
    pools: [{ ...own, ...pool }],
    references: [{ ...own, ...reference }],
    skipped: [{ ...own, kind: 'skipped', reason: 'a future', count: 1 }],
    rejected: [{ ...own, kind: 'rejected', reason: 'last: negative', count: 1 }],
    error: null,
    rows: 7,
    requests: 3,
    retries: 1,
    bytes: 9,
    ms: 250,
    attemptedAt: Date.UTC(2024, 0, 5),
  })
})

it('gives each source its own connection and wants', async () => {
  const asked: unknown[] = []
  const source = sourceOf(async (...given) => {
    asked.push(...given)
    return [quote]
  })
  const wants = { ...nothingMore, listings: 7 }
  await run([source], { wants: (of) => (of === source ? wants : nothingMore) })
  expect(asked).toEqual([connection, wants])
})

describe('a failing source', () => {
  const bug = new TypeError('cannot read sesame')
  function* broken(): Generator<Observation> {
    yield quote
    throw bug
  }

  it.each([
    ['fails as sources do', async () => Promise.reject(new SourceError('source_unreachable', 'down'))],
    [
      'fails at once',
      () => {
        throw new SourceError('source_unreachable', 'down')
      },
    ],
  ] as const)('that %s costs the others nothing and keeps its error', async (_, observe) => {
    const [failed, fine] = await run([sourceOf(observe), saying([quote])])
    expect(failed).toMatchObject({ quotes: [], rows: 0, requests: 3 })
    expect(failed?.error).toMatchObject({ code: 'source_unreachable', message: 'down' })
    expect(fine).toMatchObject({ quotes: [quote], error: null })
  })

  it.each([
    ['asking', async () => Promise.reject(bug)],
    ['reading', async () => broken()],
  ] as const)('with a bug in %s is source_invalid, its text kept to the cause', async (_, observe) => {
    const [report] = await run([sourceOf(observe)])
    expect(report?.error).toMatchObject({
      code: 'source_invalid',
      message: 'venue: could not be read (TypeError)',
      cause: bug,
    })
    expect(report).toMatchObject({ quotes: [], rows: 0 })
  })
})

describe('an answer without anything to use', () => {
  it.each([
    ['only unreadable rows', [rejected, rejected, skipped], {}, '2 rows unreadable, 1 not of use'],
    ['no rows', [], {}, '0 rows unreadable, 0 not of use'],
    ['no rows of use', [skipped], { type: 'aggregator' }, '0 rows unreadable, 1 not of use'],
    ['only unreadable pools', [rejected], { type: 'dex' }, '1 rows unreadable, 0 not of use'],
  ] as const)('is source_invalid: %s', async (_, observations, facts, counts) => {
    const [report] = await run([saying(observations, facts)])
    expect(report?.error).toMatchObject({ code: 'source_invalid', message: `venue: nothing usable, ${counts}` })
    expect(report?.rows).toBe(observations.length)
  })

  it.each([
    [49, 3, null],
    [50, 3, 'source_invalid'],
    [50, 0, null],
  ])('of a price service is due for %i tokens after %i requests: %s', async (count, requests, code) => {
    const tokens = Array.from({ length: count }, (_, at) => ({ platform: 'p', address: `0x${at}` }))
    const [report] = await run([saying([], { type: 'reference' })], {
      wants: () => ({ ...nothingMore, tokens }),
      connect: () => ({ ...connection, stats: { ...connection.stats, requests } }),
    })
    expect(report?.error?.code ?? null).toBe(code)
  })

  it.each(['dex', 'registry'] as const)('is none where nothing need be: %s', async (type) => {
    const [report] = await run([saying([], { type })])
    expect(report?.error).toBeNull()
  })
})

it('requests all sources at once and reports each as soon as it is done', async () => {
  const told: string[] = []
  let release = () => {}
  const gate = new Promise<void>((open) => {
    release = open
  })
  const slow = sourceOf(async () => gate.then(() => [quote]), { id: 'slow' })
  const quick = saying([quote], { id: 'quick' })
  const onProgress = ({ source }: Report) => {
    told.push(source.id)
    release()
  }
  const reports = await run([slow, quick], { onProgress })
  expect(told).toEqual(['quick', 'slow'])
  expect(reports.map(({ source }) => source.id)).toEqual(['slow', 'quick'])
})

it('takes no list without end, and does not wait for its end', async () => {
  const endless = function* () {
    for (;;) yield quote
  }
  const [report] = await run([sourceOf(async () => endless())])
  expect(report).toMatchObject({ error: { code: 'source_invalid', message: 'venue: more than 100000 rows' }, rows: 0 })
})

describe('the end of the run', () => {
  const silent = sourceOf(() => new Promise(() => {}))

  it('reports a silent source as source_timeout', async () => {
    const end = new AbortController()
    const collected = run([silent, saying([quote])], { signal: end.signal })
    end.abort()
    const [cut, fine] = await collected
    expect(cut?.error).toMatchObject({ code: 'source_timeout', message: 'venue: aborted at the end of the run' })
    expect(fine?.error).toBeNull()
  })

  it('may have come before', async () => {
    const [cut] = await run([silent], { signal: AbortSignal.abort() })
    expect(cut?.error).toMatchObject({ code: 'source_timeout' })
  })

  it('comes earlier to a source that takes more than its time, and ends what it asked', async () => {
    let closed = 0
    const connect = () => ({ ...connection, close: async () => void closed++ })
    const [late, fine] = await run([silent, saying([quote])], { turnMs: 5, connect })
    expect(late?.error).toMatchObject({ code: 'source_timeout', message: 'venue: no answer within 0.005 s' })
    expect(fine?.error).toBeNull()
    expect(closed).toBe(1)
  })

  it("keeps a source's rows when only its last request is cut off", async () => {
    const end = new AbortController()
    const cut = new Promise<void>((resolve) => {
      end.signal.addEventListener('abort', () => resolve())
    })
    const collected = run([sourceOf(async () => cut.then(() => [quote]))], { signal: end.signal })
    end.abort()
    expect(await collected).toMatchObject([{ quotes: [quote], error: null }])
  })
})
