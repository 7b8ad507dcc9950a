import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { CLOSES_FILE } from '../../src/contract/closes.ts'
import { DetailedRow } from '../../src/contract/asset.ts'
import { CandleRow } from '../../src/contract/candles.ts'
import { Daily } from '../../src/contract/daily.ts'
import { print } from '../../src/contract/text.ts'
import { dayOf } from '../../src/contract/time.ts'
import { TABLES_FILE, type Tables } from '../../src/contract/tables.ts'
import { type TabledTree, writeTables } from '../../src/exports/tables.ts'
import { Tree } from '../../src/tree/tree.ts'
import { ownHost } from '../client/hosts.ts'
import { NOON, newFolder, sharedSampleTree } from '../sample-tree.ts'
import { rowsOn } from './parquet-read.ts'

const NOW = '2026-11-20T12:00:00Z'
const root = newFolder()
const world: { tree?: Tree; index?: Tables } = {}

/** The sample, with the closes of two past days and of today, which the sample has not. */
const closesOf = (day: string, close_usd: number) =>
  print({
    day,
    basis: 'runs',
    runs: 48,
    asOf: `${day}T23:30:00Z`,
    count: 1,
    rows: [
      {
        slug: 'bitcoin',
        close_usd,
        open_usd: 1,
        high_usd: 9,
        low_usd: 0.5,
        volume_24h_usd: null,
        market_cap_usd: 2.5,
        runs: 48,
        rights: 'open',
      },
    ],
  })
const CLOSES: Readonly<Record<string, string>> = {
  'api/mkt/closes/2026-11-18.json': closesOf('2026-11-18', 5),
  'api/mkt/closes/2026-11-19.json': closesOf('2026-11-19', 6),
  'api/mkt/closes/2026-11-20.json': closesOf('2026-11-20', 7),
}
const LIST = print({
  today: '2026-11-20',
  missing: 0,
  keptDays: null,
  count: 3,
  rows: ['2026-11-20', '2026-11-19', '2026-11-18'].map((day) => ({ day, basis: 'runs', listings: 1, runs: 48 })),
})
const tabled = (tree: Tree, folder: string): TabledTree => ({
  root: folder,
  files: [...new Set([...tree.files.filter((file) => !file.includes('/closes/')), ...Object.keys(CLOSES)])],
  read: (file) => (file === CLOSES_FILE ? LIST : (CLOSES[file] ?? tree.read(file))),
})

beforeAll(async () => {
  world.tree = new Tree(await sharedSampleTree())
  world.index = await writeTables(tabled(world.tree, root), NOW)
})

const entryOf = (table: string) => {
  const entry = world.index?.rows.find((one) => one.table === table)
  if (!entry) throw new Error(`there is no ${table}`)
  return entry
}
const rowsOf = async (table: string) =>
  parquetReadObjects({ file: await asyncBufferFromFile(join(root, entryOf(table).path)) })
const plain = (value: unknown) => (value instanceof Date ? value.toISOString().replace('.000Z', 'Z') : value)

/** The days that a table of a listing should have. */
function daysOf(slug: string): { day: string; close_usd: number; basis: string }[] {
  const text = world.tree?.read(`api/mkt/history/${slug}/days=365.json`) ?? '{"rows":[]}'
  const { rows } = z
    .object({ rows: z.array(z.object({ timestamp: z.string(), price_usd: z.number() })) })
    .parse(JSON.parse(text))
  const days = new Map(rows.map((row) => [row.timestamp.slice(0, 10), { close_usd: row.price_usd, basis: 'history' }]))
  // The sample has no day that its own runs saw: where venues have a bar, that is the day.
  const bars = z.object({ rows: z.array(CandleRow) })
  const candles = bars.parse(JSON.parse(world.tree?.read(`api/mkt/candles/${slug}/days=365.json`) ?? '{"rows":[]}'))
  for (const { timestamp, close_usd } of candles.rows) days.set(timestamp.slice(0, 10), { close_usd, basis: 'candles' })
  const daily = world.tree?.read(`api/mkt/daily/${slug}.json`)
  const { from, columns } = daily ? Daily.parse(JSON.parse(daily)) : { from: null, columns: { close_usd: [] } }
  for (const [at, close_usd] of columns.close_usd.entries()) {
    const day = dayOf(Date.parse(from ?? '') + at * 86_400_000)
    if (close_usd !== null && day >= '2025-11-20') days.set(day, { close_usd, basis: 'candles' })
  }
  if (slug === 'bitcoin') {
    days.set('2026-11-18', { close_usd: 5, basis: 'runs' })
    days.set('2026-11-19', { close_usd: 6, basis: 'runs' })
  }
  return [...days]
    .filter(([day]) => day < '2026-11-20')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, values]) => ({ day, ...values }))
}

describe('the tables', () => {
  it('are listed with rows, bytes, digest and columns', () => {
    const rows = world.index?.rows ?? []
    expect(rows.map(({ path }) => path)).toEqual([
      'tables/assets.parquet',
      'tables/listings.parquet',
      'tables/quotes-2026-11-20.parquet',
      'tables/rates.parquet',
      'tables/daily.parquet',
      ...[2025, 2024].map((year) => `tables/daily-${year}.parquet`),
    ])
    for (const { path, bytes, sha256, metadataBytes } of rows) {
      const file = readFileSync(join(root, path))
      expect([file.length, createHash('sha256').update(file).digest('hex')]).toEqual([bytes, sha256])
      expect(file.readUInt32LE(file.length - 8) + 8).toBe(metadataBytes)
    }
    expect(readdirSync(join(root, 'tables')).filter((name) => name.endsWith('.new'))).toEqual([])
  })

  it('have every listing with the figures of the API', async () => {
    const { rows } = z
      .object({ rows: z.array(z.looseObject({})) })
      .parse(JSON.parse(world.tree?.read('api/mkt/markets.json') ?? ''))
    const columns = entryOf('assets').schema.map(({ name }) => name)
    expect(columns).toEqual(Object.keys(DetailedRow.shape).filter((name) => columns.includes(name)))
    const wanted = rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null])))
    const read = (await rowsOf('assets')).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value) ?? null])),
    )
    expect(read).toEqual(wanted)
  })

  it('have the first day of every listing, and the last one and the successor of what is gone', async () => {
    const folder = newFolder()
    const profile = (slug: string, given: object) => {
      const { asset } = z
        .object({ asset: z.looseObject({}) })
        .parse(JSON.parse(world.tree?.read('api/mkt/assets/bitcoin.json') ?? ''))
      return JSON.stringify({ asset: { ...asset, slug, ...given } })
    }
    const gone = { listing_status: 'delisted', first_listed: '2026-11-01T00:00:00Z', last_seen: '2026-11-09T03:00:00Z' }
    const files = new Map([
      ['api/mkt/assets/bitcoin.json', profile('bitcoin', { first_listed: '2026-11-20T12:00:00Z' })],
      ['api/mkt/assets/matic.json', profile('matic', { ...gone, replaced_by: 'pol' })],
      ['api/mkt/daily/bitcoin.json', world.tree?.read('api/mkt/daily/bitcoin.json') ?? ''],
    ])
    await writeTables({ root: folder, files: [...files.keys()], read: (file) => files.get(file) ?? null }, NOW)
    const file = await asyncBufferFromFile(join(folder, 'tables/listings.parquet'))
    const rows = (await parquetReadObjects({ file })).map((row) =>
      Object.values(row).map((value) => plain(value) ?? null),
    )
    expect(rows).toEqual([
      [
        'bitcoin',
        'BTC',
        'Bitcoin',
        `${Daily.parse(JSON.parse(files.get('api/mkt/daily/bitcoin.json') ?? '')).from}T00:00:00Z`,
        null,
        null,
      ],
      ['matic', 'BTC', 'Bitcoin', '2026-11-01T00:00:00Z', '2026-11-09T00:00:00Z', 'pol'],
    ])
  })

  it('have the markets of the day of every listing', async () => {
    const read = await rowsOf('quotes')
    const bitcoin = z
      .object({
        rows: z.array(z.object({ exchange_id: z.string(), pair: z.string(), price_usd: z.number().nullable() })),
      })
      .parse(JSON.parse(world.tree?.read('api/mkt/assets/bitcoin/markets.json') ?? ''))
    const own = read.filter(({ slug }) => slug === 'bitcoin')
    expect(own.map(({ exchange_id, pair, price_usd }) => ({ exchange_id, pair, price_usd }))).toEqual(bitcoin.rows)
  })

  it('have the rate of every currency by day, as the years of rates and the closes have it', async () => {
    const read = (await rowsOf('rates')).map(({ day, currency, rate_usd, source }) => ({
      day: String(plain(day)).slice(0, 10),
      currency,
      rate_usd,
      source,
    }))
    const Years = z.object({
      rows: z.array(z.object({ day: z.string(), source: z.string(), rates_usd: z.record(z.string(), z.number()) })),
    })
    const years = (world.tree?.files ?? []).filter((file) => file.includes('/rates/years/'))
    const wanted = years.flatMap((file) =>
      Years.parse(JSON.parse(world.tree?.read(file) ?? '')).rows.flatMap(({ day, source, rates_usd }) =>
        Object.entries(rates_usd).map(([currency, rate_usd]) => ({ day, currency, rate_usd, source })),
      ),
    )
    expect(wanted.length).toBeGreaterThan(500)
    expect(read.filter(({ source }) => source !== 'closes')).toEqual(wanted)
    // Of days that are over: that of today still changes.
    expect(read.filter(({ source, currency }) => source === 'closes' && currency === 'BTC')).toEqual(
      [
        ['2026-11-18', 5],
        ['2026-11-19', 6],
      ].map(([day, rate_usd]) => ({ day, currency: 'BTC', rate_usd, source: 'closes' })),
    )
  })

  it('have every past day by slug: closes, and history where there is none', async () => {
    const read = (await rowsOf('daily')).map(({ slug, day, close_usd, basis }) => ({
      slug,
      day: String(plain(day)).slice(0, 10),
      close_usd,
      basis,
    }))
    const slugs = [...new Set(read.map(({ slug }) => String(slug)))]
    expect(slugs).toEqual(slugs.toSorted())
    expect(read).toEqual(slugs.flatMap((slug) => daysOf(slug).map((day) => ({ slug, ...day }))))
    expect(read.length).toBeGreaterThan(5000)
  })

  it('read equal by DuckDB', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const file = join(root, entryOf('daily').path)
    const answer = await connection.runAndReadAll(
      `select slug, day::varchar as day, close_usd, basis, open_usd, runs from '${file}' order by slug, day`,
    )
    const read = (await rowsOf('daily')).map(({ slug, day, close_usd, basis, open_usd, runs }) => [
      slug,
      String(plain(day)).slice(0, 10),
      close_usd,
      basis,
      open_usd ?? null,
      runs ?? null,
    ])
    expect(answer.getRows()).toEqual(read)
    connection.closeSync()
  })

  it('replace those of the last run, and drop quotes after 31 days', async () => {
    const folder = newFolder()
    const small = { ...tabled(world.tree ?? new Tree(folder), folder), files: [] }
    const { rows: begun } = await writeTables(small, NOW)
    const [quotesOfDay] = begun.filter(({ table }) => table === 'quotes')
    const before = Array.from({ length: 32 }, (_, at) => {
      const path = `tables/quotes-${new Date(NOON - at * 86_400_000).toISOString().slice(0, 10)}.parquet`
      writeFileSync(join(folder, path), '')
      return { ...quotesOfDay, path, bytes: 0 }
    })
    const last = JSON.stringify({ generatedAt: NOW, count: 32, rows: before })
    const read = (file: string) => (file === TABLES_FILE ? last : small.read(file))
    const { rows } = await writeTables({ ...small, read }, '2026-11-21T12:00:00Z')
    const quotes = rows.filter(({ table }) => table === 'quotes')
    expect(quotes).toHaveLength(31)
    expect(quotes.every(({ path }) => existsSync(join(folder, path)))).toBe(true)
    expect(readdirSync(join(folder, 'tables'))).toHaveLength(31 + 4)
  })
})

describe('the days', () => {
  const slugs = ['acme', 'bitcoin', 'zeta']
  const closes = (day: string) =>
    print({
      day,
      basis: 'runs',
      runs: 1,
      asOf: `${day}T00:00:00Z`,
      count: slugs.length,
      rows: slugs.map((slug, at) => ({
        slug,
        close_usd: at + 1,
        open_usd: 1,
        high_usd: 9,
        low_usd: 0.5,
        volume_24h_usd: null,
        market_cap_usd: null,
        runs: 1,
        rights: 'open',
      })),
    })
  /** A tree with the closes of these days, and the list of tables of its last writing. */
  function treeOf(days: readonly string[], more: Partial<TabledTree> = {}) {
    const folder = newFolder()
    const files = new Map<string, string>(days.map((day) => [`api/mkt/closes/${day}.json`, closes(day)]))
    return {
      folder,
      files,
      write: async (generatedAt: string): Promise<Tables['rows']> => {
        const read = (file: string) => files.get(file) ?? null
        const tables = await writeTables({ root: folder, files: [...files.keys()], read, ...more }, generatedAt)
        files.set(TABLES_FILE, JSON.stringify(tables))
        return tables.rows.filter(({ table }) => table === 'daily')
      },
    }
  }
  /** The bars of acme since a day, added on another. */
  const bars = (from: string, olderAdded: string, close: number, count = 2) => {
    const column = Array.from({ length: count }, () => close)
    return print({
      slug: 'acme',
      from,
      to: dayOf(Date.parse(from) + (count - 1) * 86_400_000),
      missing: 0,
      sources: [],
      olderAdded,
      notice: null,
      rights: 'attribution',
      columns: {
        close_usd: column,
        open_usd: column,
        high_usd: column,
        low_usd: column,
        venue_volume_base: column,
        venue_volume_usd: column,
        venues: column.map(() => 2),
      },
    })
  }

  it('reach back to the listing, have what venues traded, and are written again when older days were added', async () => {
    const { folder, files, write } = treeOf(['2025-11-30'])
    files.set('api/mkt/daily/acme.json', bars('2025-11-29', '2026-11-19', 7))
    const written = async () =>
      (await write(NOW)).map(({ path, generatedAt }) => [path.slice('tables/'.length), generatedAt])
    expect(await written()).toEqual(['daily', 'daily-2025'].map((name) => [`${name}.parquet`, NOW]))
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'tables/daily.parquet')) })
    const own = rows.filter(({ slug }) => slug === 'acme')
    expect(
      own.map(({ close_usd, open_usd, venue_volume_base, venue_volume_usd, venues, basis }) => [
        close_usd,
        open_usd,
        venue_volume_base,
        venue_volume_usd,
        venues,
        basis,
      ]),
    ).toEqual([
      [7, 7, 7, 7, 2, 'candles'],
      [1, 1, 7, 7, 2, 'runs'],
    ])
    const later = async (day: string) =>
      (await write(`${day}T12:00:00Z`)).filter(({ generatedAt }) => generatedAt.startsWith(day))
    expect((await later('2026-11-21')).map(({ path }) => path)).toEqual(['tables/daily.parquet'])
    files.set('api/mkt/daily/acme.json', bars('2024-12-31', '2026-11-21', 7, 365))
    expect((await later('2026-11-22')).map(({ path }) => path)).toEqual(
      ['daily', 'daily-2025', 'daily-2024'].map((name) => `tables/${name}.parquet`),
    )
    expect((await later('2026-11-23')).map(({ path }) => path)).toEqual(['tables/daily.parquet'])
  })

  const read = async (folder: string, path: string) =>
    (await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, path)) })).map(
      ({ slug, day }) => `${slug} ${String(plain(day)).slice(0, 10)}`,
    )
  const DAYS = ['2025-11-30', '2025-12-31', '2026-01-01', '2026-11-19']

  it('are those of the last 365 days, and each past year', async () => {
    const { folder, write } = treeOf(DAYS)
    const [recent, year] = await write(NOW)
    expect([recent, year]).toMatchObject([
      { path: 'tables/daily.parquet', days: { from: '2025-11-20', to: '2026-11-19' }, rows: 12 },
      { path: 'tables/daily-2025.parquet', days: { from: '2025-01-01', to: '2025-12-31' }, rows: 6 },
    ])
    expect(await read(folder, year?.path ?? '')).toEqual(
      slugs.flatMap((slug) => [`${slug} 2025-11-30`, `${slug} 2025-12-31`]),
    )
  })

  it('of a past year are written again until 12 March after it, and then stay', async () => {
    const { folder, files, write } = treeOf(DAYS)
    const year = async (generatedAt: string) => (await write(generatedAt)).find(({ path }) => path.includes('2025'))
    const early = await year('2026-03-11T12:00:00Z')
    files.delete('api/mkt/closes/2025-12-31.json')
    expect((await year('2026-03-12T12:00:00Z'))?.rows).toBe(3)
    for (const day of DAYS.slice(0, 2)) files.delete(`api/mkt/closes/${day}.json`)
    const kept = await year(NOW)
    expect([early?.rows, kept?.rows, kept?.generatedAt]).toEqual([6, 3, '2026-03-12T12:00:00Z'])
    expect(existsSync(join(folder, 'tables/daily-2025.parquet'))).toBe(true)
  })

  it('of a year before the year of history are written without reading that', async () => {
    const { files, write } = treeOf(['2024-11-30', '2026-11-19'])
    files.set('api/mkt/history/acme/days=365.json', 'x')
    const asked: string[] = []
    const get = files.get.bind(files)
    files.get = (file) => {
      asked.push(file)
      return get(file)
    }
    expect((await write(NOW)).map(({ path }) => path)).toEqual(['tables/daily.parquet', 'tables/daily-2024.parquet'])
    expect(asked.filter((file) => file.includes('/history/'))).toHaveLength(1)
  })

  it('of a past year are written again where their file is gone', async () => {
    const { folder, write } = treeOf(DAYS)
    await write(NOW)
    rmSync(join(folder, 'tables/daily-2025.parquet'))
    const later = '2026-11-21T12:00:00Z'
    expect((await write(later)).map(({ path, rows, generatedAt }) => [path, rows, generatedAt])).toEqual([
      ['tables/daily.parquet', 12, later],
      ['tables/daily-2025.parquet', 6, later],
    ])
  })

  it('go on in another file where one is large enough, at the end of a listing', async () => {
    const many = Array.from({ length: 12_000 }, (_, at) => `slug-${String(at).padStart(5, '0')}`)
    const whole = treeOf([])
    const rows = many.map((slug) => ({ ...JSON.parse(closes('2026-11-19')).rows[0], slug }))
    const text = print({ ...JSON.parse(closes('2026-11-19')), count: rows.length, rows })
    whole.files.set('api/mkt/closes/2026-11-19.json', text)
    const [one] = await whole.write(NOW)
    const divided = treeOf([], { mostBytes: 1 })
    divided.files.set('api/mkt/closes/2026-11-19.json', text)
    const parts = await divided.write(NOW)
    expect(parts.map(({ path, slugs: own }) => [path, own])).toEqual([
      ['tables/daily.parquet', { from: 'slug-00000', to: 'slug-03999' }],
      ['tables/daily-2.parquet', { from: 'slug-04000', to: 'slug-07999' }],
      ['tables/daily-3.parquet', { from: 'slug-08000', to: 'slug-11999' }],
    ])
    const all = await Promise.all(parts.map(({ path }) => read(divided.folder, path)))
    expect(all.flat()).toEqual(await read(whole.folder, one?.path ?? ''))
    // A later writing that needs fewer files leaves none of the others.
    divided.files.set('api/mkt/closes/2026-11-19.json', closes('2026-11-19'))
    expect(await divided.write(NOW)).toHaveLength(1)
    expect(readdirSync(join(divided.folder, 'tables')).filter((name) => name.startsWith('daily'))).toEqual([
      'daily.parquet',
    ])
  })
})

describe('a listing of daily', () => {
  let host: Awaited<ReturnType<typeof ownHost>>
  beforeAll(async () => {
    writeFileSync(join(root, 'page.html'), '')
    host = await ownHost(root, NOON)
  })
  afterAll(() => host.close())

  it('is read by ranges from our server', async () => {
    const { path, bytes, metadataBytes } = entryOf('daily')
    const asked: string[] = []
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const answer = await globalThis.fetch(input, init)
      asked.push(`${answer.status}`)
      return answer
    }
    const query = { slug: 'ethereum', columns: ['slug', 'day', 'close_usd'] }
    const rows = await rowsOn(`${host.url}/${path}`, { bytes, metadataBytes }, query, fetch)
    expect(rows.map(({ close_usd }) => close_usd)).toEqual(daysOf('ethereum').map(({ close_usd }) => close_usd))
    expect(asked.every((status) => status === '206')).toBe(true)
    expect(asked.length).toBeLessThanOrEqual(3)
  })
})
