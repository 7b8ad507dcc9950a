import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DAYS } from '../../src/contract/history.ts'
import { STATE_VERSION } from '../../src/contract/words.ts'
import { NO_DAMAGE } from '../../src/run/damage.ts'
import { lastPublication } from '../../src/tree/last-publication.ts'
import { Tree } from '../../src/tree/tree.ts'
import { fileFindings } from '../check/findings.ts'
import { PUBLISHERS, continued, documentIn, profilesIn, treeOf } from './published-trees.ts'

const Rows = z.object({ rows: z.array(z.looseObject({})) })
const Series = z.object({
  from: z.string().nullable(),
  interval: z.string(),
  rows: z.array(z.looseObject({ timestamp: z.string() })),
})
const Bars = z.object({
  rows: z.array(z.object({ timestamp: z.string(), high_usd: z.number(), low_usd: z.number(), close_usd: z.number() })),
})
const Interval = z.object({ interval: z.string() })

const rowsIn = (root: string, file: string) => documentIn(root, file, Rows).rows
const filesIn = (root: string, folder: string): string[] =>
  existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => `${folder}/${name}`) : []

describe.each(PUBLISHERS)('a tree that commit %s published', (commit) => {
  it('is read with every member of every profile', () => {
    const root = treeOf(commit)
    const { listings, damaged } = lastPublication(new Tree(root))
    const profiles = profilesIn(root)
    expect(damaged).toEqual([])
    expect(profiles.size).toBeGreaterThan(25)
    for (const [slug, asset] of profiles) expect(listings.get(slug)?.asset).toMatchObject(asset)
  })

  it('is continued with no damage and equal slugs, ages, aliases, points, candles and closes, all in the current form', async () => {
    const [before, root] = [treeOf(commit), treeOf(commit)]
    const { interval } = documentIn(before, 'api/mkt/history/bitcoin/days=1.json', Interval)
    const report = await continued(root, { cadenceMs: interval === '15m' ? 900_000 : 1_800_000 })
    expect(report).toMatchObject({ outcome: 'published', refusals: [], lifted: [], damaged: NO_DAMAGE })

    const [old, now] = [profilesIn(before), profilesIn(root)]
    expect([...old.values()].some(({ aliases }) => aliases.length > 0)).toBe(true)
    for (const [slug, { first_listed, aliases, replaced_by }] of old)
      expect(now.get(slug)).toMatchObject({ first_listed, aliases: expect.arrayContaining(aliases), replaced_by })

    let points = 0
    for (const [slug, { replaced_by }] of old)
      for (const days of DAYS) {
        const file = `api/mkt/history/${slug}/days=${days}.json`
        const kept = documentIn(root, file, Series)
        const due = documentIn(before, file, Series).rows.filter(({ timestamp }) => timestamp >= (kept.from ?? ''))
        const seen = new Map(kept.rows.map((row) => [row.timestamp, row['price_usd']]))
        if (replaced_by !== null) continue
        expect(due.every(({ timestamp }) => seen.has(timestamp))).toBe(true)
        // The value of the last bucket is open, and that of a long range is only written when it closes.
        const closed = due.slice(0, -1)
        expect(closed.map(({ timestamp }) => seen.get(timestamp))).toEqual(closed.map((row) => row['price_usd']))
        points += due.length
      }
    expect(points).toBeGreaterThan(5_000)

    for (const slug of filesIn(before, 'api/mkt/candles'))
      for (const file of filesIn(before, slug)) {
        const [kept, had] = [documentIn(root, file, Bars).rows, documentIn(before, file, Bars).rows]
        const closes = (bars: typeof had) => bars.map(({ timestamp, close_usd }) => [timestamp, close_usd])
        expect(closes(kept)).toEqual(closes(had))
        // A long bar is widened to the short ones within it.
        for (const [place, { high_usd, low_usd }] of had.entries()) {
          expect(kept[place]?.high_usd).toBeGreaterThanOrEqual(high_usd)
          expect(kept[place]?.low_usd).toBeLessThanOrEqual(low_usd)
        }
      }
    const today = 'api/mkt/closes/2026-11-20.json'
    for (const file of filesIn(before, 'api/mkt/closes'))
      if (file !== today) expect(rowsIn(root, file)).toEqual(rowsIn(before, file))
      else expect(rowsIn(root, file).map(({ slug }) => slug)).toEqual(rowsIn(before, file).map(({ slug }) => slug))
    for (const file of filesIn(before, 'api/mkt/changes'))
      expect(rowsIn(root, file)).toEqual(expect.arrayContaining(rowsIn(before, file)))
    expect(await fileFindings(root)).toEqual([])
    expect(documentIn(root, 'api/mkt.json', z.object({ stateVersion: z.int() })).stateVersion).toBe(STATE_VERSION)
  }, 60_000)
})
