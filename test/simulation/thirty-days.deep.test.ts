import { cpSync, existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import * as z from 'zod'
import { CloseRow } from '../../src/core/contract/daily.ts'
import { type Days, gridOf } from '../../src/core/contract/history.ts'
import { DAY_MS, HOUR_MS, INTERVAL_MS, MINUTE_MS, dayOf, isoOf } from '../../src/core/contract/time.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { placeAt } from '../../src/core/tree/remote.ts'
import { errorsIn } from '../check/findings.ts'
import { NO_REQUESTS, ONE_LIMITED_LIST, newFolder, sampleRun } from '../sample-tree.ts'
import { Killed, dying } from './dying-disk.ts'

// No power is cut, and the folders are in memory: a program is started for each publication otherwise.
vi.mock(import('../../src/core/tree/folders.ts'), async (original) => ({ ...(await original()), syncStaged: () => {} }))

const COUNT = 100
const BEGIN = Date.UTC(2026, 9, 20, 23, 10)
const DAYS = 30
/** Runs that are killed, and those before which the tables or the whole folder is lost. */
const KILLED: readonly number[] = [20, 70, 130]
const [STATE_LOST, TREE_LOST] = [50, 110]
const root = newFolder()
const copy = newFolder()

/** A price that a run published, as its reader wrote it down. */
interface Noted {
  readonly at: number
  readonly price: number
}

const published = (file: string) => JSON.parse(readFileSync(join(root, `api/mkt/${file}.json`), 'utf8'))

/** The prices that are of their own run, by slug: a carried one is none. */
function note(books: Map<string, Noted[]>, at: number): void {
  for (const { slug, price_usd, last_updated } of published('assets').rows) {
    if (price_usd === null || Date.parse(last_updated) < at - HOUR_MS) continue
    const { asset } = published(`assets/${slug}`)
    if (asset.price_basis.method === 'carried') continue
    books.set(slug, [...(books.get(slug) ?? []), { at, price: price_usd }])
  }
}

/** The last price in each bucket of a width, by its start. */
const lastIn = (book: readonly Noted[], width: number) =>
  new Map(book.map(({ at, price }) => [at - (at % width), price] as const))

it('loses nothing in thirty days that a reader wrote down', async () => {
  const books = new Map<string, Noted[]>()
  let [now, cadence, writes] = [BEGIN, 60, 400]
  const end = BEGIN + DAYS * DAY_MS
  for (let place = 0; now < end; place++, now += 4 * HOUR_MS) {
    const day = Math.floor((now - BEGIN) / DAY_MS)
    if (day >= 12) cadence = 30
    const isDown = day === 7 || day === 8
    const sources = sampleSources(now, COUNT).filter(({ id }) => !isDown || id !== 'sample-a')
    const run = (from: readonly string[] = []) =>
      sampleRun(root, {
        count: COUNT,
        now,
        cadenceMs: cadence * MINUTE_MS,
        sources,
        configured: sampleSources(now, COUNT),
        composition: ONE_LIMITED_LIST,
        history: NO_REQUESTS,
        from: from.map((one) => placeAt(one, { timeoutMs: 60_000, attempts: 1, pause: async () => {} })),
      })
    if (KILLED.includes(place)) {
      const after = place === KILLED[1] ? 'journal' : 'start'
      const { result } = await dying(root, { after, writes: Math.floor(writes / 3) }, run)
      expect(result).toBeInstanceOf(Killed)
      for (const name of readdirSync(root)) if (name.startsWith('.lock')) rmSync(join(root, name))
    }
    const isLost = place === STATE_LOST || place === TREE_LOST
    if (isLost) {
      rmSync(place === TREE_LOST ? root : join(root, 'state'), { recursive: true })
    }
    const report = await run(isLost ? [copy] : [])
    expect([isoOf(now), report.outcome, report.refusals]).toEqual([isoOf(now), 'published', []])
    writes = report.published?.written.length ?? writes
    note(books, now)
    if (place + 1 === STATE_LOST || place + 1 === TREE_LOST) cpSync(root, copy, { recursive: true, force: true })
  }
  expect(await errorsIn(root, ONE_LIMITED_LIST)).toEqual([])
  expect(books.size).toBeGreaterThan(COUNT / 2)

  const wrong: unknown[] = []
  const compare = (what: string, found: unknown, expected: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ what, found, expected })
  }
  const latest = Math.max(...[...books.values()].flat().map(({ at }) => at))
  const grid = gridOf(cadence * MINUTE_MS)
  for (const [slug, book] of books) {
    for (const days of [1, 7, 30, 365] as const satisfies readonly Days[]) {
      const width = INTERVAL_MS[grid[days]]
      const { from, rows } = published(`history/${slug}/days=${days}`)
      const open = latest - (latest % width)
      const known = [...lastIn(book, width)].filter(([start]) => start >= Date.parse(from) && start < open)
      const own = rows.filter(({ timestamp }: { timestamp: string }) => Date.parse(timestamp) < open)
      compare(
        `${slug} ${days}`,
        own.map(({ timestamp, price_usd }: { timestamp: string; price_usd: number }) => [timestamp, price_usd]),
        known.map(([start, price]) => [isoOf(start), price]),
      )
    }
  }
  for (let start = BEGIN - (BEGIN % DAY_MS); start < latest - (latest % DAY_MS); start += DAY_MS) {
    const file = `closes/${dayOf(start)}`
    if (!existsSync(join(root, `api/mkt/${file}.json`))) {
      compare(file, null, 'a document')
      continue
    }
    const { rows } = z.object({ rows: z.array(CloseRow) }).parse(published(file))
    const bySlug = new Map(rows.map((row) => [row.slug, row]))
    for (const [slug, book] of books) {
      const ofDay = book.filter(({ at }) => at >= start && at < start + DAY_MS)
      if (ofDay.length === 0) continue
      const prices = ofDay.map(({ price }) => price)
      const { open_usd, high_usd, low_usd, close_usd } = bySlug.get(slug) ?? {}
      compare(
        `${file} ${slug}`,
        [open_usd, high_usd, low_usd, close_usd],
        [prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)],
      )
    }
  }
  expect(wrong.slice(0, 10)).toEqual([])
})
