import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { specs } from '../../src/core/endpoints/table.ts'
import { probedLines, reportText } from '../../src/check/findings-text.ts'
import { probe, type Ask, siteAt, type ProbeAnswer } from '../../src/check/probe.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import {
  ALL_REQUESTS,
  LEAN_LISTINGS,
  NOON,
  NO_REQUESTS,
  copySampleTree,
  leanRegistry,
  newFolder,
  sampleRun,
} from '../sample-tree.ts'
import type { Source } from '../../src/core/sources/source.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { scaled } from '../scale.ts'
import { onDisk } from '../service/world.ts'

const root = newFolder()
let server: Listening
let site: Ask
beforeAll(async () => {
  await copySampleTree(root)
  server = await listen(
    onDisk(root, () => performance.now()),
    '127.0.0.1',
    0,
  )
  site = siteAt(server.url, fetch)
})
afterAll(() => server.close())

/** What the server answered before: faults are planted into that. */
const answers = new Map<string, Promise<ProbeAnswer>>()
const remembered: Ask = (path, init = {}) => {
  const request = JSON.stringify([path, init])
  const known = answers.get(request) ?? site(path, init)
  answers.set(request, known)
  return known
}

const withHeader = (got: ProbeAnswer, name: string, value: string | null): ProbeAnswer => {
  const headers = new Headers(got.headers)
  if (value === null) headers.delete(name)
  else headers.set(name, value)
  return { ...got, headers }
}
const html: Partial<ProbeAnswer> = { text: '<h1>Not found</h1>', json: undefined }

const sources = sampleSources(NOON, LEAN_LISTINGS)
const withoutBitcoin = sources.map((source) => ({
  ...source,
  observe: async (...given: Parameters<Source['observe']>) =>
    [...(await source.observe(...given))].filter((observed) => !JSON.stringify(observed).includes('"BTC"')),
}))
const few = { count: LEAN_LISTINGS, registry: leanRegistry(), history: NO_REQUESTS }
const FEEDS: readonly (readonly [string, Parameters<typeof sampleRun>[1]])[] = [
  ['a feed without Bitcoin', { ...few, registry: leanRegistry(1), sources: withoutBitcoin, history: ALL_REQUESTS }],
  ['a feed without past prices', few],
  ['a feed of one aggregator', { ...few, sources: sources.filter(({ id }) => id === 'sample') }],
]

const Index = z.object({ endpoints: z.array(z.object({ method: z.string(), example: z.string() })) })
const Described = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z
        .object({ parameters: z.array(z.object({ name: z.string().optional(), example: z.string().optional() })) })
        .partial()
        .optional(),
    }),
  ),
})

const describedPaths = (folder: string): string[] =>
  Object.entries(Described.parse(JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'))).paths).flatMap(
    ([path, { get }]) => {
      const filled = (get?.parameters ?? []).reduce(
        (url, { name, example }) => (example === undefined ? url : url.replace(`{${name}}`, example)),
        path,
      )
      return get === undefined || filled.includes('{') ? [] : [filled]
    },
  )

it.each(scaled(FEEDS.slice(0, 1), FEEDS))(
  'asks %s for what it has, as the examples of the index and the description do',
  async (name, given) => {
    const folder = newFolder()
    expect((await sampleRun(folder, given)).outcome).toBe('published')
    if (name.endsWith('Bitcoin')) expect(existsSync(join(folder, 'api/mkt/assets/bitcoin.json'))).toBe(false)
    const own = await listen(
      onDisk(folder, () => performance.now()),
      '127.0.0.1',
      0,
    )
    try {
      const asked: string[] = []
      const ask: Ask = (path, init) => {
        asked.push(path)
        return siteAt(own.url, fetch)(path, init)
      }
      expect((await probe(ask, specs, 'full')).findings).toEqual([])
      expect(asked).toContainEqual(expect.stringMatching(/\/assets\/[a-z-]+\/markets$/))
      expect(asked).toContainEqual(expect.stringMatching(/\/candles\//))
      const { endpoints } = Index.parse(await (await fetch(`${own.url}/api/mkt`)).json())
      const described = describedPaths(folder)
      expect(described.length).toBeGreaterThan(endpoints.length / 2)
      const examples = [
        ...endpoints.flatMap(({ method, example }) => (method === 'GET' ? [example] : [])),
        ...described,
      ]
      const links = [...readFileSync(join(folder, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(
        ([, link = '']) => link,
      )
      expect(links.filter((link) => link.startsWith('api/') && !existsSync(join(folder, link)))).toEqual([])
      const statuses = await Promise.all(
        examples.map(async (example) => [example, (await fetch(own.url + example)).status] as const),
      )
      // A feed without bars has no document of them, and their lists say so.
      const hasBars = existsSync(join(folder, 'api/mkt/candles'))
      const isThere = (example: string) => hasBars || !/\/(candles|daily)\//.test(example)
      expect(statuses.filter(([example, status]) => status !== 200 && isThere(example))).toEqual([])
      expect(hasBars).toBe(given?.history === ALL_REQUESTS)
      if (name.endsWith('Bitcoin')) expect(examples.filter((example) => example.includes('bitcoin'))).toEqual([])
    } finally {
      await own.close()
    }
  },
)

const FAULTS: readonly (readonly [
  string,
  readonly string[],
  (got: ProbeAnswer, path: string, init: RequestInit) => ProbeAnswer,
])[] = [
  [
    'no CORS on errors',
    ['error shape', 'method', 'post'],
    (got) => (got.status >= 400 ? withHeader(got, 'access-control-allow-origin', null) : got),
  ],
  [
    'HTML in place of JSON errors',
    ['error shape', 'method', 'post'],
    (got) => (got.status >= 400 ? { ...got, ...html } : got),
  ],
  [
    'errors that are cached as data is',
    ['error shape', 'method', 'post'],
    (got) => (got.status >= 400 ? withHeader(got, 'cache-control', 'public, max-age=60') : got),
  ],
  [
    'queries that are ignored',
    ['days', 'error shape', 'format', 'ids', 'limit', 'vs'],
    (got, path) => (path.includes('?') ? { ...got, status: 200, text: fullOf.text, json: fullOf.json } : got),
  ],
  ['a weak ETag', ['headers'], (got) => withHeader(got, 'etag', `W/${got.headers.get('etag')}`)],
  [
    'no conditions',
    ['etag', 'last-modified'],
    (got) => (got.status === 304 ? { ...got, status: 200, text: 'x' } : got),
  ],
  [
    'compressed files of an older publication',
    ['compression'],
    (got, _, { headers }) =>
      got.status === 200 && new Headers(headers).get('accept-encoding') !== 'identity'
        ? { ...got, text: `${got.text} ` }
        : got,
  ],
  ['no compression', ['compression'], (got) => withHeader(got, 'content-encoding', null)],
  [
    'a type without its charset',
    ['days', 'document', 'headers', 'ids', 'limit', 'vs'],
    (got) => (got.status === 200 ? withHeader(got, 'content-type', 'application/json') : got),
  ],
  [
    'one answer for every Accept',
    ['format'],
    (got, path, { headers }) =>
      path.includes('/history/') && new Headers(headers).has('accept') ? { ...got, text: '{}', json: {} } : got,
  ],
  ['no preflight', ['options'], (got, _, { method }) => (method === 'OPTIONS' ? { ...got, status: 404 } : got)],
  [
    'slashes that lead elsewhere',
    ['trailing slash'],
    (got, path) => (path.endsWith('/') ? { ...got, status: 308, text: '', json: undefined } : got),
  ],
  [
    'a member that is not declared',
    ['document', 'file', 'days', 'ids', 'limit', 'vs'],
    (got) => (isObject(got.json) && got.status === 200 ? { ...got, json: { ...got.json, more: 1 } } : got),
  ],
]
let fullOf: ProbeAnswer
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

it.each(FAULTS.filter((_, at) => at % scaled(3, 1) === 0))('sees %s', async (_, checks, broken) => {
  fullOf = await remembered('/api/mkt/assets')
  const ask: Ask = async (path, init = {}) => broken(await remembered(path, init), path, init)
  const seen = new Set((await probe(ask, specs, 'full')).findings.map(({ check }) => check))
  expect([...seen].toSorted()).toEqual(expect.arrayContaining([...checks].toSorted()))
  for (const check of seen)
    expect(checks.concat('head', 'file', 'format', 'bare path', 'trailing slash')).toContain(check)
})

it('fails a HEAD only where its headers are not those of the GET', async () => {
  const without: Ask = async (path, init) =>
    withHeader(await remembered(path, init), 'access-control-allow-origin', null)
  const onHead: Ask = async (path, init) => (init?.method === 'HEAD' ? without(path, init) : remembered(path, init))
  const ofHead = async (ask: Ask) =>
    (await probe(ask, specs, 'static')).findings.filter(({ check }) => check === 'head')
  expect(await ofHead(without)).toEqual([])
  expect(await ofHead(onHead)).not.toEqual([])
})

it('detects a publication that is in progress', async () => {
  let asked = 0
  const ask: Ask = async (path, init) => {
    const got = await remembered(path, init)
    return path === '/api/mkt.json' && asked++ > 0 ? { ...got, json: { snapshotId: 'another', listings: 1 } } : got
  }
  const { findings } = await probe(ask, specs, 'full')
  expect(findings.at(-1)).toMatchObject({ check: 'one snapshot', published: expect.stringMatching(/ to another$/) })
})

it('prints what fails, what a kind of host need not do, and how much it tested', () => {
  const findings = [
    {
      check: 'document',
      document: '/b',
      member: '',
      published: 'the status is 500, not 200',
      recomputed: 'an answer of the contract',
      rule: 'the contract of the API',
    },
  ]
  const text = reportText(findings, probedLines({ findings, answers: { document: 2, query: 1 }, missing: ['query'] }))
  expect(text.split('\n')).toEqual([
    'error document: /b: published "the status is 500, not 200", recomputed "an answer of the contract" (the contract of the API)',
    'This kind of host need not have, and has not: query',
    '3 answers tested, 1 failed',
  ])
})
