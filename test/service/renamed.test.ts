import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ErrorAnswer } from '../../src/core/contract/envelope.ts'
import { renameFile } from '../../src/core/contract/paths.ts'
import { print } from '../../src/core/contract/text.ts'
import { HOSTS } from '../../src/service/hosts.ts'
import { openFolderQueue } from '../../scripts/open-queue.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { newFolder } from '../sample-tree.ts'
import { intakeOf, onDisk } from './world.ts'
import { type Host, freePort, has, nginxWith } from './running.ts'

const root = newFolder()
const open: { server?: Listening } = {}
const envelope = { ok: true, timestamp: '2026-11-20T12:00:00Z' }
const files = {
  'api/mkt.json': print({ ...envelope, version: 'v1' }),
  'api/mkt/assets/new-coin.json': print({ ...envelope, asset: { slug: 'new-coin', replaced_by: null } }),
  'api/mkt/assets/new-coin/markets.json': print({ ...envelope, slug: 'new-coin', replacedBy: null, rows: [] }),
  'api/mkt/history/new-coin/days=7.json': print({ ...envelope, slug: 'new-coin', replacedBy: null, rows: [] }),
  'api/mkt/assets/old-coin.json': print({ ...envelope, asset: { slug: 'old-coin', replaced_by: 'new-coin' } }),
  'api/mkt/assets/old-coin/markets.json': print({ ...envelope, slug: 'old-coin', replacedBy: 'new-coin', rows: [] }),
  'api/mkt/history/old-coin/days=7.json': print({ ...envelope, slug: 'old-coin', replacedBy: 'new-coin', rows: [] }),
  'api/mkt/history/old-coin/days=30.json': print({ ...envelope, slug: 'old-coin', replacedBy: 'new-coin', rows: [] }),
  [renameFile('alias').slice(1)]: '{"slug":"alias","replaced_by":"new-coin"}\n',
  [renameFile('old-coin').slice(1)]: '{"slug":"old-coin","replaced_by":"new-coin"}\n',
}

beforeAll(async () => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const report = (error: unknown) => {
    throw error
  }
  const queue = openFolderQueue(newFolder())
  open.server = await listen(
    onDisk(root, () => performance.now(), { intake: intakeOf({ queue }), report }),
    '127.0.0.1',
    0,
  )
})
afterAll(() => open.server?.close())

type Start = (server?: string) => Promise<Host>
const behind: readonly (readonly [string, boolean, Start])[] = [
  [
    'nginx',
    has('nginx'),
    async (server = open.server?.url ?? '') => nginxWith(root, { port: await freePort(), server, modules: [] }),
  ],
]
const node: (typeof behind)[number] = [
  'the Node server',
  true,
  async () => ({ url: open.server?.url ?? '', end: async () => null }),
]

describe.each([node, ...behind])('%s', (_, isThere, start) => {
  it.skipIf(!isThere)('redirects every address of a slug that was given up, and of an alias', async () => {
    const host = await start()
    const locationOf = async (path: string) => {
      const answer = await fetch(`${host.url}/api/mkt${path}`, { redirect: 'manual' })
      return [answer.status, answer.headers.get('location')?.replace(host.url, '') ?? null]
    }
    try {
      expect(await locationOf('/assets/old-coin')).toEqual([308, '/api/mkt/assets/new-coin'])
      expect(await locationOf('/assets/old-coin/markets')).toEqual([308, '/api/mkt/assets/new-coin/markets'])
      expect(await locationOf('/assets/alias')).toEqual([308, '/api/mkt/assets/new-coin'])
      // The range that is meant without one is named.
      expect(await locationOf('/history/old-coin')).toEqual([308, '/api/mkt/history/new-coin?days=7'])
      expect(await locationOf('/history/old-coin?days=30')).toEqual([308, '/api/mkt/history/new-coin?days=30'])
      const csv = '/api/mkt/history/new-coin?days=30&format=csv'
      for (const path of ['/history/old-coin.csv?days=30', '/history/old-coin?days=30&format=csv'])
        expect(await locationOf(path)).toEqual([308, csv])
      for (const path of ['/assets/new-coin', '/assets/new-coin/markets', '/history/new-coin'])
        expect(await locationOf(path)).toEqual([200, null])
    } finally {
      await host.end()
    }
  })
})

describe.each(behind)('%s without its server', (name, isThere, start) => {
  it.skipIf(!isThere)('answers 503 as in the contract', async () => {
    const host = await start('127.0.0.1:1')
    try {
      const answer = await fetch(`${host.url}/api/mkt/assets/no-such-coin`)
      expect(answer.status).toBe(503)
      const { timestamp } = ErrorAnswer.parse(await answer.json())
      expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(3_600_000)
    } finally {
      await host.end()
    }
  })

  it('is declared as a proxy, so that each sender has its own limit', () => {
    expect(HOSTS[name.toLowerCase()]?.next).toContain('PROXIES=1 npm run serve')
  })
})
