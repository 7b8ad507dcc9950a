import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { ClientError } from '../../src/client/errors.ts'
import { hostOf } from './hosts.ts'
import { type Reply, ABSENT, HEAD, HOUR, NOON, TRENDING, envelope, fine, headUntil, iso, listOf } from './net.ts'
import { netOf, refusalOf } from './net.ts'

const PAUSE_MS = 60_000
const [A, B] = ['https://a', 'https://b']

const FAULTS: readonly (readonly [string, string, Reply])[] = [
  ['cannot be reached', 'unreachable', 'away'],
  ['answers 500', 'status', { status: 500, body: '' }],
  ['answers 503 as the API does', 'status', refusalOf(503, 'unavailable')],
  ['answers a page with status 200', 'not_json', { body: '<!doctype html>' }],
  ['answers nothing', 'not_json', { body: '' }],
  ['breaks off its answer', 'not_json', { body: '{"ok":true,"endpoint":"trending","rows":[{' }],
  ['answers other JSON', 'not_an_answer', { body: { hello: 'world' } }],
  ['answers null', 'not_an_answer', { body: null }],
  ['answers another endpoint', 'not_an_answer', { body: listOf('x', { endpoint: 'gainers' }) }],
  ['answers without rows', 'not_an_answer', { body: listOf('x', { rows: undefined }) }],
  ['answers without a time', 'not_an_answer', { body: listOf('x', { timestamp: undefined }) }],
  ['answers ok: false with status 200', 'not_an_answer', { body: listOf('x', { ok: false }) }],
  ['refuses in words of its own', 'status', { status: 429, body: 'slow down' }],
  ['refuses in JSON of its own', 'status', { status: 400, body: { ok: false, error: 'no' } }],
  ['refuses without a reason', 'status', { status: 400, body: { ok: false, error: null } }],
]

describe.each(FAULTS)('of a mirror that %s', (_, fault, reply) => {
  it('the next one answers, is asked from then on, and after a pause the first again', async () => {
    const net = netOf({ a: fine('a', { [TRENDING]: reply }), b: fine('b') })
    expect(await net.client.trending()).toMatchObject({ mirror: B, data: { rows: [{ name: 'b' }] } })
    expect(net.news()).toEqual([`a${TRENDING}`, `b${TRENDING}`])
    net.clock.now += PAUSE_MS - 1
    await net.client.trending()
    expect(net.news()).toEqual([`b${TRENDING}`])
    net.hosts['a'] = fine('a')
    net.clock.now += 1
    expect(await net.client.trending()).toMatchObject({ mirror: A })
    expect(net.news()).toEqual([`a${TRENDING}`])
  })

  it('the error is reported if there is no other mirror', async () => {
    const net = netOf({ a: fine('a', { [TRENDING]: reply }) })
    const failures = [{ name: 'MirrorError', mirror: A, fault }]
    await expect(net.client.trending()).rejects.toMatchObject({ name: 'NoMirrorError', failures })
  })
})

it('asks a mirror that has failed when no other answers', async () => {
  const net = netOf({ a: () => 'away', b: () => 'away' })
  await expect(net.client.trending()).rejects.toMatchObject({ failures: [{ mirror: A }, { mirror: B }] })
  net.hosts['b'] = fine('b')
  expect(await net.client.trending()).toMatchObject({ mirror: B })
})

it('skips a mirror that does not answer in time', async () => {
  const { client } = netOf({ a: () => 'silent', b: fine('b') }, { timeoutMs: 5 })
  expect(await client.trending()).toMatchObject({ mirror: B })
  const alone = netOf({ a: () => 'silent' }, { timeoutMs: 5 })
  await expect(alone.client.trending()).rejects.toMatchObject({ failures: [{ mirror: A, fault: 'timeout' }] })
})

it('takes no mirror that has no head, however good its documents are', async () => {
  const net = netOf({ a: fine('a', { [HEAD]: { status: 404, body: '' } }), b: fine('b') })
  expect(await net.client.trending()).toMatchObject({ mirror: B })
})

describe('a refusal', () => {
  it('of the API is an answer: no other mirror is asked', async () => {
    const net = netOf({ a: fine('a', { [TRENDING]: refusalOf(400, 'invalid_parameter') }), b: fine('b') })
    await expect(net.client.trending()).rejects.toMatchObject({
      name: 'ApiError',
      code: 'invalid_parameter',
      mirror: A,
    })
    expect(net.news()).toEqual([`a${TRENDING}`])
  })

  it('says when to try again', async () => {
    const reply = refusalOf(429, 'rate_limited', { 'retry-after': '60' })
    const net = netOf({ a: fine('a', { [TRENDING]: reply }) })
    await expect(net.client.trending()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 60 })
  })

  it.each([
    ['the API, in JSON', refusalOf(404, 'asset_not_found', {}, 'asset')],
    ['a file host, 403', { status: 403, body: '<!doctype html>' }],
    ['a file host, 404', { status: 404, body: '<!doctype html>' }],
  ] satisfies [string, Reply][])('of %s, is no answer while another mirror has the document', async (_, absent) => {
    const path = '/api/mkt/assets/acme.json'
    const asset = { body: envelope('asset', { asset: { slug: 'acme', replaced_by: null } }) }
    const net = netOf({ a: fine('a', { [path]: absent }), b: fine('b', { [path]: asset }) })
    expect(await net.client.asset('acme')).toMatchObject({ mirror: B })
    net.hosts['b'] = fine('b', { [path]: absent })
    await expect(net.client.asset('acme')).rejects.toMatchObject({ name: 'NotFoundError', code: 'asset_not_found' })
    net.hosts['b'] = () => 'away'
    await expect(net.client.asset('acme')).rejects.toMatchObject({ name: 'NotFoundError', mirror: A })
  })

  it.each([
    ['in JSON, as the API', refusalOf(404, 'not_found', {}, 'index')],
    ['in JSON of its own', { status: 404, body: { message: 'Not Found' } }],
    ['with a page', { status: 404, body: '<!doctype html>' }],
  ] satisfies [string, Reply][])(
    'of an endpoint that a mirror does not know, %s, is its failure',
    async (_, absent) => {
      const net = netOf({ a: fine('a', { [TRENDING]: absent }), b: fine('b') })
      expect(await net.client.trending()).toMatchObject({ mirror: B })
      const alone = netOf({ a: fine('a', { [TRENDING]: absent }) })
      await expect(alone.client.trending()).rejects.toMatchObject({
        name: 'NoMirrorError',
        failures: [{ fault: 'status' }],
      })
    },
  )
})

it('asks for the state of the queue by the name of its file, which hosts with a queue answer too', async () => {
  const rows = { body: envelope('listing-requests', { count: 1, rows: [] }) }
  const net = netOf({ a: fine('a', { '/api/mkt/listing-requests.json': rows }) })
  expect(await net.client.listingRequests()).toMatchObject({ data: { count: 1 } })
})

it('asks for no more rows than the next size there is a file of', async () => {
  const sizes = [1, 10, 11, 26, 100, 101, 251, 501, 1_001]
  const net = netOf({ a: () => ({ body: listOf('x', { links: {}, staleAfter: 'never' }) }) })
  for (const limit of sizes) await expect(net.client.trending({ limit })).rejects.toThrow('No mirror')
  const asked = net.news().map((path) => /limit=(\d+)\.json$/.exec(path)?.[1] ?? 'all')
  expect(asked).toEqual(['10', '10', '20', '50', '100', '250', '500', '1000', 'all'])
})

it.each([
  { staleAfter: '+275760-09-13T00:00:00Z' },
  { staleAfter: iso(NOON + HOUR), generatedAt: '-271821-04-20T00:00:00Z' },
])('reads again from a mirror that states the times %j, or gives a typed error', async (times) => {
  const { client, clock } = netOf({ a: fine('a', { [HEAD]: { body: envelope('head', { ...times, links: {} }) } }) })
  const read = () => client.trending().catch((error: unknown) => error)
  await read()
  clock.now += 2 * HOUR
  const second = await read()
  if (second instanceof Error) expect(second).toBeInstanceOf(ClientError)
  else expect(second).toMatchObject({ stale: true })
})

it.each([
  ['whose clock is of 1970', { [HEAD]: headUntil(0) }, { stale: true, staleAfter: '1970-01-01T00:00:00Z' }],
  ['that redirects to a page', { [TRENDING]: { body: '<!doctype html>' } }, null],
  ['of a tree with another prefix', null, null],
] as const)('asks the next mirror beside one %s', async (_, more, alone) => {
  const first = more === null ? () => ABSENT : fine('a', more)
  const net = netOf({ a: first, b: fine('b') })
  expect(await net.client.trending()).toMatchObject({ mirror: B, stale: false })
  const only = netOf({ a: first }).client.trending()
  if (alone) expect(await only).toMatchObject({ mirror: A, ...alone })
  else await expect(only).rejects.toMatchObject({ name: 'NoMirrorError', failures: [{ mirror: A }] })
})

it('says of no name that a tree with another prefix lacks it', async () => {
  const { client } = netOf({ a: () => ABSENT })
  await expect(client.asset('acme')).rejects.toMatchObject({ name: 'NoMirrorError', failures: [{ fault: 'status' }] })
})

it('reads with a clock of 1970', async () => {
  const net = netOf({ a: fine('a') }, { now: () => 0, maxStaleMs: HOUR })
  expect(await net.client.trending()).toMatchObject({ mirror: A, stale: false, staleAfter: iso(NOON + HOUR) })
})

it('follows a redirect to where a mirror has moved, and asks the next one of a redirect in circles', async () => {
  const answers = fine('a')
  const host = await hostOf(({ url = '' }, response) => {
    const reply = answers(url.replace('/moved', ''))
    if (url.startsWith('/moved') && typeof reply === 'object') response.end(JSON.stringify(reply.body))
    else response.writeHead(301, { location: url.startsWith('/circle') ? url : `/moved${url}` }).end()
  })
  const client = createClient({ mirrors: [`${host.url}/circle`, host.url], now: () => NOON })
  expect(await client.trending()).toMatchObject({ mirror: host.url, data: { rows: [{ name: 'a' }] } })
  await host.close()
})

describe('a retired slug', () => {
  const profile = (slug: string, replaced_by: string | null) => ({
    [`/api/mkt/assets/${slug}.json`]: { body: envelope('asset', { asset: { slug, replaced_by } }) },
  })
  const markets = { '/api/mkt/assets/new/markets.json': { body: envelope('asset-markets', { slug: 'new', rows: [] }) } }

  it('leads there from each of its documents', async () => {
    const series = (slug: string, replacedBy: string | null) => ({
      [`/api/mkt/history/${slug}/days=7.json`]: { body: envelope('history', { slug, replacedBy, rows: [] }) },
    })
    const { client } = netOf({ a: fine('a', { ...series('old', 'new'), ...series('new', null) }) })
    expect(await client.history('old')).toMatchObject({ data: { slug: 'new', replacedBy: null } })
  })

  it('leads to its successor on a host of files too', async () => {
    const alias = { '/renamed/alias.json': { body: { slug: 'alias', replaced_by: 'new' } } }
    const { client } = netOf({
      a: fine('a', { ...profile('old', 'new'), ...profile('new', null), ...markets, ...alias }),
    })
    for (const slug of ['old', 'alias'])
      expect(await client.asset(slug)).toMatchObject({ data: { asset: { slug: 'new' } } })
    expect(await client.assetMarkets('old')).toMatchObject({ data: { slug: 'new' } })
    await expect(client.history('old')).rejects.toMatchObject({ code: 'asset_not_found' })
    await expect(client.assetMarkets('other')).rejects.toMatchObject({ code: 'asset_not_found' })
  })

  it('leads round in a circle only so often', async () => {
    const net = netOf({ a: fine('a', { ...profile('x', 'y'), ...profile('y', 'x') }) })
    expect(await net.client.asset('x')).toMatchObject({ data: { asset: { slug: 'y' } } })
    await expect(net.client.history('x')).rejects.toMatchObject({ code: 'asset_not_found' })
  })
})

describe('addresses of mirrors', () => {
  it.each(['https://a', 'https://a/', 'https://a//'])('may end as they like: %s', async (mirrors) => {
    const net = netOf({ a: fine('a') }, { mirrors })
    expect(await net.client.trending()).toMatchObject({ mirror: A })
  })

  it.each([
    [[], 'mirrors needs an address, such as https://you.github.io/quotetree.'],
    [[''], 'mirrors has an empty address: write one such as https://you.github.io/quotetree.'],
    ['quotes.example', 'mirrors has "quotes.example", which lacks its scheme: write https://quotes.example.'],
    ['localhost:8787', 'mirrors has "localhost:8787", which lacks its scheme: write http://localhost:8787.'],
    ['https://', 'mirrors has "https://", which is not an address: write one such as https://you.github.io.'],
    [
      'https://quotes.example/api/mkt/',
      'mirrors has "https://quotes.example/api/mkt/": leave out /api/mkt, and write https://quotes.example.',
    ],
  ])('%j is refused in a sentence', (mirrors, message) =>
    expect(() => createClient({ mirrors })).toThrow(new TypeError(message)),
  )
})

describe('a package of npm as a mirror', () => {
  const JSDELIVR = 'https://cdn.jsdelivr.net/npm/@grove/quotes'
  const UNPKG = 'https://unpkg.com/@grove/quotes'
  const answer = { ok: true, endpoint: 'prices', timestamp: NOON, count: 1, prices: { bitcoin: 1 } }

  it.each([
    [JSDELIVR, [JSDELIVR, UNPKG]],
    [`${JSDELIVR}@2026.11.22`, [`${JSDELIVR}@2026.11.22`, `${UNPKG}@2026.11.22`]],
    [UNPKG, [UNPKG, JSDELIVR]],
    ['npm:@grove/quotes', [JSDELIVR, UNPKG]],
  ])('%s is asked for at one CDN, and at another where that fails', async (mirror, [first, second]) => {
    const asked: string[] = []
    const fetch = async (url: RequestInfo | URL): Promise<Response> => {
      const address = new Request(url).url
      asked.push(address)
      return address.startsWith(`${first}/`) ? new Response('', { status: 403 }) : Response.json(answer)
    }
    const client = createClient({ mirrors: mirror, fetch })
    await client.prices().catch(() => null)
    expect(asked.find((url) => url.startsWith(`${second}/api/mkt/`))).toBeDefined()
    expect(asked[0]).toMatch(new RegExp(`^${first}/api/mkt`))
  })
})

const stale = (name: string) => fine(name, { [HEAD]: headUntil(NOON - HOUR) })

describe('several mirrors', () => {
  it('answer from the fresh one, and in the next call that one is asked alone', async () => {
    const net = netOf({ a: stale('a'), b: fine('b') })
    expect(await net.client.trending()).toMatchObject({ mirror: B, stale: false, failure: null })
    net.news()
    expect(await net.client.trending()).toMatchObject({ mirror: B })
    expect(net.news()).toEqual([`b${TRENDING}`])
  })

  it('answer from the first one if all are stale', async () => {
    const { client } = netOf({ a: stale('a'), b: stale('b') })
    expect(await client.trending()).toMatchObject({ mirror: A, stale: true, failure: null })
  })

  it('answer from the second one when the first is silent for the time limit, and is then aborted', async () => {
    const net = netOf({ a: () => 'silent', b: fine('b') }, { timeoutMs: 1 })
    expect(await net.client.trending()).toMatchObject({ mirror: B })
    expect(net.sent[0]?.signal?.aborted).toBe(true)
  })

  it('answer with the last good answer, marked as such, while all are away', async () => {
    const net = netOf({ a: fine('a'), b: fine('b') })
    const { data } = await net.client.trending()
    net.hosts['a'] = net.hosts['b'] = () => 'away'
    const failure = { name: 'NoMirrorError', failures: [{ fault: 'unreachable' }, { fault: 'unreachable' }] }
    expect(await net.client.trending()).toMatchObject({ data, stale: false, failure })
    net.clock.now = NOON + 2 * HOUR
    expect(await net.client.trending()).toMatchObject({ data, stale: true, failure })
    await expect(net.client.asset('bitcoin')).rejects.toMatchObject({ name: 'NoMirrorError' })
  })

  it('refuse a last good answer that is older than allowed', async () => {
    const net = netOf({ a: fine('a') }, { maxStaleMs: HOUR })
    await net.client.trending()
    net.hosts['a'] = () => 'away'
    net.clock.now = NOON + 3 * HOUR
    await expect(net.client.trending()).rejects.toMatchObject({ name: 'NoMirrorError' })
  })
})

it('freezes answers', async () => {
  const { client } = netOf({ a: fine('a') })
  const { data } = await client.trending()
  expect([data, data.rows, data.rows[0]].every((one) => Object.isFrozen(one))).toBe(true)
})

it.each([
  ['selects them', { count: 1, missing: ['no-coin'], prices: { bitcoin: 1 } }],
  ['is one of files', { count: 3, prices: { bitcoin: 1, ethereum: 2, tether: 3 } }],
])('has selected prices with one request, whether the host %s', async (_, members) => {
  const FILE = '/api/mkt/prices.json'
  const net = netOf({ a: fine('a', { [FILE]: { body: envelope('prices', { total: 3, ...members }) } }) })
  const { data } = await net.client.prices({ ids: ['no-coin', 'bitcoin'] })
  expect(data).toMatchObject({ count: 1, missing: ['no-coin'], prices: { bitcoin: 1 } })
  expect(net.news()).toEqual([`a${FILE}`])
})

it('reads the prices of contracts with one request per chain, and knows which have none', async () => {
  const ethereum = envelope('chain-prices', {
    count: 1,
    total: 3,
    prices: { '0xab': { slug: 'a-coin', price_usd: 2 } },
  })
  const net = netOf({ a: fine('a', { '/api/mkt/prices/ethereum.json': { body: ethereum } }) })
  const contracts = [
    { chain: 'ethereum', address: '0xAB' },
    { chain: 'ethereum', address: '0xcd' },
    { chain: 'no-chain', address: '0xab' },
  ]
  expect(await net.client.pricesByContract(contracts)).toEqual([
    { ...contracts[0], slug: 'a-coin', price_usd: 2, stale: false },
    { ...contracts[1], slug: null, price_usd: null, stale: false },
    { ...contracts[2], slug: null, price_usd: null, stale: false },
  ])
  expect(net.news()).toHaveLength(2)
})

describe('data that is out of date', () => {
  const old = (hours: number) => fine('a', { [HEAD]: headUntil(NOON - hours * HOUR) })

  it('is marked, and taken where no mirror has newer data', async () => {
    const net = netOf({ a: old(1), b: () => 'away' })
    expect(await net.client.trending()).toMatchObject({ mirror: A, stale: true, staleAfter: iso(NOON - HOUR) })
  })

  it('is refused beyond the allowed age, and the next mirror is tried', async () => {
    const net = netOf({ a: old(2), b: old(1) }, { maxStaleMs: HOUR })
    expect(await net.client.trending()).toMatchObject({ mirror: B, stale: true })
    net.clock.now += 1
    await expect(net.client.trending()).rejects.toMatchObject({
      failures: [
        { name: 'StaleError', mirror: B, staleForMs: HOUR + 1, isWhole: true },
        { name: 'StaleError', mirror: A, staleForMs: 2 * HOUR + 1 },
      ],
    })
  })

  const carried = (sourceStatus: string) => ({
    [TRENDING]: {
      body: listOf('a', {
        sourceStatus,
        sourceError: { code: 'source_stale', message: '', sources: [], since: iso(NOON - 2 * HOUR) },
      }),
    },
  })

  it.each([
    ['ok', false],
    ['degraded', false],
    ['stale', true],
    ['down', true],
  ])('is also what its sources let down: %s is stale: %s', async (sourceStatus, stale) => {
    const net = netOf({ a: fine('a', carried(sourceStatus)) })
    expect(await net.client.trending()).toMatchObject({ stale })
  })

  it('of one document does not disqualify the rest of a mirror', async () => {
    const net = netOf({ a: fine('a', carried('stale')), b: fine('b') }, { maxStaleMs: HOUR })
    expect(await net.client.trending()).toMatchObject({ mirror: B })
    expect(net.news()).toEqual([`a${TRENDING}`, `b${TRENDING}`])
    net.hosts['a'] = fine('a')
    expect(await net.client.trending()).toMatchObject({ mirror: A })
  })

  it('is found out from a head that is asked once until it is out of date, then once a minute', async () => {
    const net = netOf({ a: fine('a') })
    const heads = async (): Promise<number> => {
      await net.client.trending()
      return net.asked.splice(0).filter((one) => one.endsWith(HEAD)).length
    }
    expect([await heads(), await heads()]).toEqual([1, 0])
    net.clock.now = NOON + HOUR
    expect(await heads()).toBe(0)
    net.clock.now += 1
    expect([await heads(), await heads()]).toEqual([1, 0])
    net.clock.now += 60_000
    net.hosts['a'] = fine('a', { [HEAD]: headUntil(NOON + 2 * HOUR) })
    expect([await heads(), await heads()]).toEqual([1, 0])
    expect(await net.client.trending()).toMatchObject({ stale: false })
  })
})
