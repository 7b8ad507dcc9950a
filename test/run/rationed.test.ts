import { beforeEach, expect, it } from 'vitest'
import { ration } from '../../src/run/rationed.ts'
import type { Source } from '../../src/sources/source.ts'
import { sourceOf } from '../feed/world.ts'
import { newFolder } from '../sample-tree.ts'
import { replies } from '../sources/replies.ts'
import * as z from 'zod'

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
  return ration({
    root,
    sources: [source],
    connect: () => ({
      stats,
      close: async () => {},
      json: (path, schema) => {
        stats.requests++
        return replies({ '/list': [] }).json(path, schema)
      },
    }),
    history: { perRun: 10, perSource: 10 },
    now,
    cadenceMs: 30 * MINUTE,
    listings: null,
  })
}

it('asks nothing beyond the quota, tells what is left, and spares the source until it may be asked again', async () => {
  const first = runAt(START)
  expect(first.sources).toEqual([source])
  const http = first.connect(source)
  for (let n = 0; n < 3; n++) await http.json('/list', z.array(z.unknown()))
  await expect(http.json('/list', z.array(z.unknown()))).rejects.toMatchObject({ code: 'source_rate_limited' })
  first.save()

  const second = runAt(START + 30 * MINUTE)
  expect(second.sources).toEqual([])
  expect(second.spared).toEqual([source])
  second.save()
  expect(runAt(START + 24 * 60 * MINUTE).sources).toEqual([source])
})
