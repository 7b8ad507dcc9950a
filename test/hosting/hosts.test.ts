import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { specs } from '../../src/endpoints/table.ts'
import { caddy } from '../../src/hosting/caddy.ts'
import type { HostFile, Site } from '../../src/hosting/host-files.ts'
import { nginx } from '../../src/hosting/nginx.ts'
import { probe } from '../../src/check/probe.ts'
import { type HostKind, siteAt } from '../../src/check/probe-site.ts'
import { folderQueue } from '../../src/queue/folder-queue.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { newFolder, copyCompressedSampleTree } from '../sample-tree.ts'
import { intakeOf, onDisk } from '../service/world.ts'
import { type Host, caddyWith, freePort, has, nginxWith } from './running.ts'
import { workerOver } from './worker.ts'

const BROTLI = '/usr/lib/nginx/modules/ngx_http_brotli_static_module.so'

const root = newFolder()
let server: Listening

beforeAll(async () => {
  await copyCompressedSampleTree(root)
  const report = (error: unknown) => {
    throw error
  }
  const queue = folderQueue(newFolder(), randomUUID, report, Date.now)
  server = await listen(
    onDisk(root, () => performance.now(), { intake: intakeOf({ queue }), report }),
    '127.0.0.1',
    0,
  )
})
afterAll(() => server.close())

const siteOn = (port: number): Site => ({
  specs,
  tree: root,
  server: new URL(server.url).host,
  port,
  brotli: existsSync(BROTLI),
  database: null,
})
const textOf = (files: readonly HostFile[]): string => files[0]?.text ?? ''

const HOSTS: readonly (readonly [string, boolean, HostKind, () => Promise<Host>])[] = [
  ['the Node server', true, 'full', async () => ({ url: server.url, end: async () => null })],
  [
    'the Worker in workerd',
    true,
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
      return nginxWith(textOf(nginx(siteOn(port))), port, [BROTLI])
    },
  ],
  [
    'Caddy',
    has('caddy'),
    'full',
    async () => {
      const port = await freePort()
      return caddyWith(textOf(caddy(siteOn(port))), port)
    },
  ],
]

describe.each(HOSTS)('%s', (_, isThere, kind, start) => {
  it.skipIf(!isThere)('answers the contract', async () => {
    const host = await start()
    try {
      const findings = await probe(siteAt(host.url, fetch), specs, kind)
      expect(findings.filter(({ outcome }) => outcome === 'failed')).toEqual([])
      expect(findings.length).toBeGreaterThan(300)
    } finally {
      await host.end()
    }
  })
})
