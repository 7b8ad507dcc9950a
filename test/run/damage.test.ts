import { existsSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Asset } from '../../src/contract/asset.ts'
import { readJson } from '../../src/contract/read-json.ts'
import { NO_DAMAGE } from '../../src/run/damage.ts'
import { rebuiltAssets } from '../../src/tree/rebuilt-listings.ts'
import { fileFindings } from '../check/findings.ts'
import { deepIt, scaled } from '../scale.ts'
import { ALL_REQUESTS, NOON, copyTree, newFolder, leanRun } from '../sample-tree.ts'

const MINUTE = 60_000
const COUNT = 3
const RUN = { count: COUNT + 2, history: ALL_REQUESTS }
const good = newFolder()
let root: string
beforeAll(async () => {
  // Two days, so that days of changes and carried history are there to lose.
  await leanRun(good, { count: COUNT, now: NOON - 25 * 60 * MINUTE, history: ALL_REQUESTS })
  await leanRun(good, { ...RUN, now: NOON - MINUTE })
  await leanRun(good, { ...RUN, now: NOON })
})
beforeEach(() => {
  root = newFolder()
  copyTree(good, root)
})

const at = (file: string) => join(root, file)
const HISTORY = 'api/mkt/history/bitcoin/days=365.json'
const again = () => leanRun(root, { ...RUN, now: NOON + MINUTE })
const faults = () => fileFindings(root, NOON + MINUTE)

/** What is lost of a tree, where, and how. */
type Loss = readonly [string, string, (file: string) => void]

describe('a run rebuilds', () => {
  const closes = 'api/mkt/closes/2026-11-19.json'
  const ofRange: Loss = ['a truncated range of history', HISTORY, (file) => truncateSync(file, 100)]
  const LOSSES: Loss[] = [
    ['a lost day of changes', 'api/mkt/changes/2026-11-20.json', (file) => rmSync(file)],
    ['a whole folder', 'api/mkt/history', (file) => rmSync(file, { recursive: true })],
  ]

  it.each(scaled(LOSSES, [...LOSSES, ofRange, ['a lost manifest', 'api/mkt/manifest.json', (file) => rmSync(file)]]))(
    '%s',
    async (_, file, harm) => {
      expect(existsSync(at(file))).toBe(true)
      harm(at(file))
      expect(await again()).toMatchObject({ outcome: 'published' })
      expect(await faults()).toEqual([])
      expect(existsSync(at(file))).toBe(true)
    },
  )

  const OF_CHECKPOINT: Loss[] = [['a lost day of closes', closes, (file) => rmSync(file)], ofRange]
  const altered: Loss = ['an altered day of closes', closes, (file) => writeFileSync(file, '{}\n')]
  it.each(scaled(OF_CHECKPOINT, [...OF_CHECKPOINT, altered, ...LOSSES]))(
    '%s with all of its data from the checkpoint',
    async (_, name, harm) => {
      const archived = { ...RUN, now: NOON, checkpoint: true }
      await leanRun(root, archived)
      const file = name.endsWith('.json') ? name : HISTORY
      const data = () => readFileSync(at(file), 'utf8').replace(/"timestamp":"[^"]+",\n"sourceStatus"/, '')
      const before = data()
      harm(at(name))
      const { published } = await leanRun(root, archived)
      expect(published?.damaged).toContain(file)
      expect(data()).toBe(before)
      expect(await faults()).toEqual([])
    },
  )

  it('a lost day of closes from candles, and counts the rows that it has then', async () => {
    const DAY = '2026-11-19'
    const Rows = z.object({ rows: z.array(z.looseObject({})) })
    const rowsOf = (file: string) => Rows.parse(JSON.parse(readFileSync(at(file), 'utf8'))).rows
    rmSync(at(`api/mkt/closes/${DAY}.json`))
    await again()
    const { length } = rowsOf(`api/mkt/closes/${DAY}.json`)
    expect(length).toBeGreaterThan(0)
    expect(rowsOf('api/mkt/closes.json').find(({ day }) => day === DAY)).toMatchObject({ listings: length })
    expect(await faults()).toEqual([])
  })

  deepIt('all that a lost manifest leaves uncertain, and changes no document that is right', async () => {
    const before = readFileSync(at(HISTORY), 'utf8')
    const assets = readFileSync(at('api/mkt/assets.json'), 'utf8')
    rmSync(at('api/mkt/manifest.json'))
    writeFileSync(at(HISTORY.replace('365', '30')), '{"ok":true}\n')
    await again()
    expect(readFileSync(at(HISTORY), 'utf8')).toBe(before)
    expect(readFileSync(at('api/mkt/assets.json'), 'utf8')).toBe(assets)
    expect(await faults()).toEqual([])
  })

  it('a lost profile of what the other documents say, and calls neither the listing new nor its age known', async () => {
    const profile = () =>
      z.object({ asset: Asset }).parse(JSON.parse(readFileSync(at('api/mkt/assets/ethereum.json'), 'utf8'))).asset
    const { external_ids, contracts, price_usd } = profile()
    rmSync(at('api/mkt/assets/ethereum.json'))
    const { events } = await again()
    expect(events).toEqual([])
    expect(profile()).toMatchObject({ first_listed: null, external_ids, contracts, price_usd })
    await leanRun(root, { ...RUN, now: NOON + 60 * MINUTE })
    expect(profile().first_listed).toBeNull()
  })

  it('a lost profile of a delisted asset, whose slug stays taken', () => {
    const slugs = new Set(['gone', 'bitcoin'])
    const text = readFileSync(at('api/mkt/markets.json'), 'utf8')
    const assets = rebuiltAssets(slugs, ['api/mkt/markets.json'], (file, schema) =>
      readJson(file === 'api/mkt/markets.json' ? text : null, schema),
    )
    expect(assets).toMatchObject([
      { slug: 'gone', listing_status: 'delisted', replaced_by: null },
      { slug: 'bitcoin', listing_status: 'active', first_listed: null },
    ])
    expect(rebuiltAssets(slugs, [], () => null)).toEqual([])
  })

  deepIt('many losses at once', async () => {
    for (const file of ['api/mkt.json', 'api/mkt/assets/ethereum.json', HISTORY.replace('365', '90')]) rmSync(at(file))
    for (const file of ['api/mkt/collector.json', 'api/mkt/assets.json', 'openapi.json']) truncateSync(at(file), 10)
    writeFileSync(at('api/mkt/manifest.json'), '{')
    expect(await again()).toMatchObject({ outcome: 'published' })
    expect(await faults()).toEqual([])
  })

  it('an edited file of the same size, and publishes nothing of what was written into it', async () => {
    const listed = at('api/mkt/assets/limit=10.json')
    writeFileSync(listed, readFileSync(listed, 'utf8').replace('"ok":true', '"ok":fake'))
    const file = at('api/mkt/assets/bitcoin.json')
    const price = (text: string) => z.object({ asset: Asset }).parse(JSON.parse(text)).asset.price_usd
    const honest = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      honest.replaceAll(/"price_usd":(\d)/g, (_, digit: string) => `"price_usd":${(Number(digit) % 9) + 1}`),
    )
    expect(price(readFileSync(file, 'utf8'))).not.toBe(price(honest))
    expect(statSync(file).size).toBe(Buffer.byteLength(honest))
    // The list is only composed again, which loses nothing.
    expect((await again()).damaged).toEqual({ recovered: [], rebuilt: ['api/mkt/assets/bitcoin.json'], lost: [] })
    expect(price(readFileSync(file, 'utf8'))).toBe(price(honest))
    expect(await faults()).toEqual([])
  })

  it('nothing where only the times of the files are lost', async () => {
    const { ino } = statSync(at(HISTORY))
    utimesSync(at(HISTORY), new Date(NOON), new Date(NOON + 5))
    const { damaged } = await again()
    expect(damaged).toEqual(NO_DAMAGE)
    expect(statSync(at(HISTORY)).ino).toBe(ino)
  })
})
