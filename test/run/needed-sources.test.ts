import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { NOON, NO_REQUESTS, newFolder, sampleRun } from '../sample-tree.ts'

const HOUR = 3_600_000
const Collector = z.object({
  rows: z.array(z.object({ source_id: z.string(), asked: z.boolean(), status: z.string() })),
})

/** Runs a feed of named listings. Returns the ids that each asked source is wanted of. */
async function askedAt(root: string, now: number, only: readonly string[]) {
  const asked: Record<string, readonly string[] | null | undefined> = {}
  const sources = sampleSources(now, 30).map((source) => ({
    ...source,
    observe: (...[http, wants]: Parameters<typeof source.observe>) => {
      asked[source.id] = wants.ids
      return source.observe(http, wants)
    },
  }))
  await sampleRun(root, { sources, only, now, history: NO_REQUESTS })
  return asked
}

it('asks the first run of a day for all that sources list, and later ones for what the named listings need', async () => {
  const root = newFolder()
  const all = await askedAt(root, NOON, ['bitcoin'])
  expect(all).toMatchObject({ sample: null, 'sample-dex': null })
  const later = await askedAt(root, NOON + HOUR, ['bitcoin'])
  expect(later).toMatchObject({ sample: ['bitcoin'], 'sample-reference': [] })
  const left = Object.keys(all).filter((id) => !(id in later))
  expect(left).toContain('sample-dex')
  const { rows } = Collector.parse(JSON.parse(readFileSync(join(root, 'api/mkt/collector.json'), 'utf8')))
  expect(rows.flatMap(({ asked, source_id }) => (asked ? [] : [source_id])).toSorted()).toEqual(left.toSorted())
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['ok']))
  expect(Object.keys(await askedAt(root, NOON + 13 * HOUR, ['bitcoin']))).toEqual(Object.keys(all))
})

it('asks for all when a name is new', async () => {
  const root = newFolder()
  await askedAt(root, NOON, ['bitcoin'])
  expect(await askedAt(root, NOON + HOUR, ['bitcoin', 'solana'])).toMatchObject({ sample: null, 'sample-dex': null })
})
