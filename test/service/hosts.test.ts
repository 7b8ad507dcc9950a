import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fse from 'fs-extra'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { specs } from '../../src/core/endpoints/table.ts'
import { probe, siteAt } from '../../src/check/probe.ts'
import { sum } from '../../src/core/feed/statistics.ts'
import { openFolderQueue } from '../../scripts/open-queue.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { makeFolders } from '../../src/core/tree/folders.ts'
import { NOON, NO_REQUESTS, newFolder, copyCompressedSampleTree, sampleRun } from '../sample-tree.ts'
import { intakeOf, onDisk } from './world.ts'
import { type Host, freePort, has, nginxWith } from './running.ts'
import { hasTools } from '../tools.ts'
import { workerOver } from './worker.ts'
import { scaled } from '../scale.ts'

const BROTLI = '/usr/lib/nginx/modules/ngx_http_brotli_static_module.so'

const root = newFolder()
let server: Listening

/** A file like a table, which no coding makes shorter. */
const PACK = 'tables/daily.parquet'
const bytes = randomBytes(5000)

beforeAll(async () => {
  await copyCompressedSampleTree(root)
  makeFolders(root, [PACK])
  writeFileSync(join(root, PACK), bytes)
  const report = (error: unknown) => {
    throw error
  }
  const queue = openFolderQueue(newFolder())
  server = await listen(
    onDisk(root, () => performance.now(), { intake: intakeOf({ queue }), report }),
    '127.0.0.1',
    0,
  )
})
afterAll(() => server.close())

const ALL: readonly (readonly [string, boolean, string, () => Promise<Host>])[] = [
  ['the Node server', true, 'full', async () => ({ url: server.url, end: async () => null })],
  [
    'the Worker in workerd',
    hasTools,
    'full',
    async () => {
      const { url, miniflare } = await workerOver(root)
      return { url, end: () => miniflare.dispose() }
    },
  ],
  [
    'nginx',
    has('nginx') && existsSync(BROTLI),
    'full',
    async () => {
      const port = await freePort()
      return nginxWith(root, { port, server: server.url, modules: [BROTLI] })
    },
  ],
]

/** The Worker answers `conformance.test.ts` too. */
const HOSTS = ALL.filter(([name]) =>
  scaled(
    ['the Node server', 'nginx'],
    ALL.map(([one]) => one),
  ).includes(name),
)

/** Asks for parts of a table as a client does that would take a compressed answer. */
async function expectRanges(url: string): Promise<void> {
  const ask = (range: string, more: Record<string, string> = {}) =>
    fetch(url, { headers: { range, 'accept-encoding': 'br, gzip', ...more } })
  const whole = await fetch(url)
  const etag = whole.headers.get('etag') ?? ''
  expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
  expect([whole.headers.get('accept-ranges'), whole.headers.get('access-control-allow-origin')]).toEqual(['bytes', '*'])
  for (const [range, from, to] of [
    ['bytes=10-19', 10, 20],
    ['bytes=4990-9999', 4990, 5000],
    ['bytes=-84', 4916, 5000],
  ] as const) {
    const answer = await ask(range, { 'if-range': etag })
    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/5000`)
    expect(answer.headers.get('content-encoding')).toBe(null)
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(from, to))).toBe(true)
  }
  const outside = await ask('bytes=5000-5001')
  expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */5000'])
  expect(outside.headers.get('cache-control') ?? 'no-store').toBe('no-store')
  const changed = await ask('bytes=0-1', { 'if-range': '"other"' })
  expect([changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([200, 5000])
  expect((await ask('bytes=0-1', { 'if-none-match': etag })).status).toBe(304)
}

describe.each(HOSTS)('%s', (_, isThere, kind, start) => {
  it.skipIf(!isThere)('answers the contract', async () => {
    const host = await start()
    try {
      const { findings, answers } = await probe(siteAt(host.url, fetch), specs, kind)
      expect(findings).toEqual([])
      expect(sum(Object.values(answers))).toBeGreaterThan(300)
      await expectRanges(`${host.url}/${PACK}`)
      for (const file of ['assets.json', 'assets.csv']) {
        const statusOf = async (method: string) => (await fetch(`${host.url}/api/mkt/${file}`, { method })).status
        expect([file, await statusOf('OPTIONS'), await statusOf('DELETE')]).toEqual([file, 204, 405])
      }
      const { headers } = await fetch(`${host.url}/openapi.json`, { headers: { 'accept-encoding': 'gzip' } })
      expect([headers.get('content-encoding'), headers.get('vary')?.toLowerCase()]).toEqual(['gzip', 'accept-encoding'])
    } finally {
      await host.end()
    }
  })
})

describe.each(HOSTS.filter(([name]) => name === 'nginx'))('%s without the program', (_, isThere, __, start) => {
  it.skipIf(!isThere)('serves pages, and the newest bytes in each encoding after every run', async () => {
    const host = await start()
    const bodyOf = async (path: string, encoding: string) => {
      const answer = await fetch(host.url + path, { headers: { 'accept-encoding': encoding } })
      return [answer.status, answer.headers.get('content-encoding') ?? 'identity', await answer.text()]
    }
    try {
      await server.close()
      fse.outputFileSync(join(root, 'token/oak.html'), '<p>Oak</p>')
      for (const minutes of scaled([30], [30, 60, 90])) {
        await sampleRun(root, { now: NOON + minutes * 60_000, history: NO_REQUESTS })
        for (const path of ['/api/mkt', '/api/mkt/assets', '/api/mkt/markets', '/api/mkt/assets/bitcoin']) {
          const text = readFileSync(join(root, `${path}.json`), 'utf8')
          for (const encoding of ['identity', 'gzip', 'br'])
            expect(await bodyOf(path, encoding), path).toEqual([200, encoding, text])
        }
      }
      expect(await bodyOf('/token/oak', 'identity')).toEqual([200, 'identity', '<p>Oak</p>'])
    } finally {
      await host.end()
    }
  })
})
