import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tracesOf } from '../../src/delivery/first-run.ts'
import { placeAt } from '../../src/core/tree/remote.ts'
import { hostOf } from '../client/hosts.ts'
import { newFolder } from '../sample-tree.ts'

const OPTIONS = { timeoutMs: 20_000, attempts: 2, pause: async () => {} }

it.each([
  [404, '<!doctype html>', null],
  [403, '', 'answers 403'],
  [410, '', 'answers 410'],
  [500, '', 'answers 500'],
  [200, '', 'has api/mkt.json'],
  [200, '<!doctype html><title>Welcome</title>', 'has api/mkt.json'],
] as const)(
  'a site that answers %i with "%s" is a trace only if it may hide a publication',
  async (status, body, trace) => {
    const host = await hostOf((_, response) => response.writeHead(status).end(body))
    const remote = join(newFolder(), 'remote')
    execFileSync('git', ['init', '--quiet', '--bare', remote])
    try {
      const places = [newFolder(), host.url].map((place) => placeAt(place, OPTIONS))
      const env = { PATH: process.env['PATH'] ?? '' }
      const found = await tracesOf(places, { remote, branch: 'snapshots' }, env)
      expect(found).toEqual(trace === null ? [] : [expect.stringContaining(trace)])
    } finally {
      await host.close()
    }
  },
)
