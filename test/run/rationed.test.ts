import { beforeEach, expect, it } from 'vitest'
import { REGION_RETRY_HOURS, ration } from '../../src/core/run/quotas.ts'
import type { Connection } from '../../src/core/sources/http.ts'
import { RegionError } from '../../src/core/sources/source-error.ts'
import type { Source } from '../../src/core/sources/source.ts'
import { sourceOf } from '../feed/world.ts'
import { newFolder } from '../sample-tree.ts'
import { replies } from '../sources/replies.ts'
import * as z from 'zod'
import { openRegistry } from '../../src/core/registry/registry.ts'

const registry = openRegistry({ assets: [] })
const MINUTE = 60_000
const START = Date.UTC(2026, 10, 1)
const source: Source = {
  ...sourceOf('acme', 'aggregator'),
  quota: { requests: 3, per: 'day', evidence: 'https://docs.example/limits', list: () => 2 },
}

let root: string
beforeEach(() => {
  root = newFolder()
})

const runAt = (now: number) => {
  const stats = { requests: 0, retries: 0, bytes: 0 }
  const connection: Connection = {
    stats,
    close: async () => {},
    json: (path, schema) => {
      stats.requests++
      return replies({ '/list': [] }).json(path, schema)
    },
  }
  return ration(
    { kind: 'live', registry, sources: [source], now, cadenceMs: 30 * MINUTE },
    { root, connect: () => connection },
    { listings: null },
  )
}

it('requests nothing beyond the quota, reports what is left, and skips the source until its reset', async () => {
  const first = runAt(START)
  expect(first.sources).toEqual([source])
  const http = first.connect(source)
  for (let n = 0; n < 3; n++) await http.json('/list', z.array(z.unknown()))
  await expect(http.json('/list', z.array(z.unknown()))).rejects.toMatchObject({ code: 'source_rate_limited' })
  first.save()

  const second = runAt(START + 30 * MINUTE)
  expect(second.sources).toEqual([])
  expect(second.spared).toEqual([{ source, reason: 'its quota must last' }])
  second.save()
  expect(runAt(START + 24 * 60 * MINUTE).sources).toEqual([source])
})

it('asks a source that refused this region once a day, and says why it does not', async () => {
  const plain = sourceOf('venue')
  const at = (now: number, error: Error | null) => {
    const connection: Connection = {
      stats: { requests: 0, retries: 0, bytes: 0 },
      close: async () => {},
      json: (path, schema) => (error === null ? replies({ '/list': [] }).json(path, schema) : Promise.reject(error)),
    }
    return ration(
      { kind: 'live', registry, sources: [plain], now, cadenceMs: 30 * MINUTE },
      { root, connect: () => connection },
      { listings: null },
    )
  }
  const refusal = new RegionError('source_unreachable', 'HTTP 451')
  const first = at(START, refusal)
  await expect(first.connect(plain).json('/list', z.array(z.unknown()))).rejects.toBe(refusal)
  first.save()

  const second = at(START + 30 * MINUTE, null)
  expect(second.sources).toEqual([])
  expect(second.spared).toEqual([
    { source: plain, reason: 'it refused this region on 2026-11-01T00:00:00Z and is asked again after a day' },
  ])
  second.save()

  const later = at(START + REGION_RETRY_HOURS * 60 * MINUTE, null)
  expect(later.sources).toEqual([plain])
  await later.connect(plain).json('/list', z.array(z.unknown()))
  later.save()
  expect(at(START + 25 * 60 * MINUTE, null).spared).toEqual([])
})
