import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { publishTo, filesAt, keysOf } from '../../src/delivery/bucket.ts'
import { DeliveryError } from '../../src/delivery/delivery-error.ts'
import { bucketAddress, type ObjectStore, s3Store } from '../../src/delivery/s3.ts'
import { waveOf } from '../../src/core/tree/layout.ts'
import { hostOf } from '../client/hosts.ts'
import { ended, run, start } from '../e2e/commands.ts'
import { HOST_BUDGETS } from '../../src/delivery/budgets.ts'
import { NOON, leanRegistry, leanRun, copyTree, newFolder, sampleRun } from '../sample-tree.ts'
import { deepIt, scaled } from '../scale.ts'
import { type MemoryStore, memoryStore } from './memory-store.ts'
import { hasTools } from '../tools.ts'
import { BUCKET, KEYS, type S3, s3Server } from './s3-server.ts'
import { withPages } from '../pages/with-pages.ts'

const MINUTES = 60_000

let s3: S3
let place: S3 | MemoryStore
const noon = newFolder()
const later = newFolder()
let prefix = 0

beforeAll(async () => {
  // The server loses keys between two pages of its listing, a file beside a folder of its name; so a tree fits one page.
  const few = { count: 2, registry: leanRegistry(2) }
  await leanRun(noon, few)
  copyTree(noon, later)
  await leanRun(later, { ...few, now: NOON + 30 * MINUTES })
})
beforeEach(() => {
  prefix++
  place = memoryStore(`${target()}/`, String(prefix))
})

const target = () => `s3://${BUCKET}/${prefix}`
const bucketAt = (address: { readonly bucket: string; readonly prefix: string }): ObjectStore =>
  s3Store(address, {
    endpoint: s3.endpoint,
    region: KEYS.AWS_REGION,
    accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
    secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
  })
const store = (): ObjectStore => ('put' in place ? place : bucketAt({ bucket: BUCKET, prefix: `${prefix}/` }))
const publish = async (root: string) => publishTo(store(), root)
const documents = (puts: readonly string[]) => puts.map((key) => key.replace(/^\d+\//, ''))

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
async function changedKeys(from: string | null, to: string): Promise<string[]> {
  const before = new Map((from === null ? [] : await filesAt(from)).map(({ path, sha256 }) => [path, sha256]))
  const changed = (await filesAt(to)).filter(({ path, sha256 }) => before.get(path) !== sha256)
  return changed.flatMap(({ path }) => keysOf(path)).toSorted()
}

/** Whether every key of a tree is answered with the tree's own text. */
async function holds(root: string): Promise<void> {
  const there = store()
  await pLimit(16).map(await filesAt(root), async ({ path: file }) => {
    const text = readFileSync(join(root, file), 'utf8')
    for (const key of keysOf(file)) expect(await there.read(key), key).toBe(text)
  })
  expect([...(await there.list()).keys()].toSorted()).toEqual(await changedKeys(null, root))
}

describe.skipIf(!hasTools)('a server that speaks S3', () => {
  beforeAll(async () => {
    s3 = await s3Server()
  })
  afterAll(() => s3.close())
  beforeEach(() => {
    place = s3
    s3.onPut = () => true
    s3.puts()
    s3.removals()
  })

  it('answers every path of the API from a bare bucket, with type, cache and coding', async () => {
    const { uploaded, unchanged, removed } = await publish(noon)
    expect({ uploaded, unchanged, removed }).toEqual({
      uploaded: (await changedKeys(null, noon)).length,
      unchanged: 0,
      removed: 0,
    })
    expect(documents(s3.puts()).toSorted()).toEqual(await changedKeys(null, noon))
    await holds(noon)
    for (const [path, file] of [
      ['api/mkt', 'api/mkt.json'],
      ['api/mkt/assets', 'api/mkt/assets.json'],
      ['api/mkt/assets.json', 'api/mkt/assets.json'],
      ['api/mkt/assets/bitcoin', 'api/mkt/assets/bitcoin.json'],
      ['api/mkt/assets/limit=10.json', 'api/mkt/assets/limit=10.json'],
      ['api/mkt/history/bitcoin', 'api/mkt/history/bitcoin/days=7.json'],
    ] as const) {
      const response = await fetch(`${s3.endpoint}/${BUCKET}/${prefix}/${path}`)
      expect(response.status, path).toBe(200)
      expect(await response.text(), path).toBe(readFileSync(join(noon, file), 'utf8'))
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(response.headers.get('cache-control')).toMatch(/^public, max-age=60, s-maxage=300/)
      // A history of one point is too short for a coding.
      const isPlain = /bitcoin\.json|history/.test(path)
      expect(response.headers.get('content-encoding'), path).toBe(isPlain ? null : 'gzip')
    }
  })

  it.each(
    scaled<[string, number][]>(
      [],
      [
        ['in the middle', 0.4],
        ['at the lists', 0.9],
      ],
    ),
  )('killed %s, leaves the old snapshot readable, and the next publication uploads the rest', async (_, share) => {
    await publish(noon)
    const indexBefore = readFileSync(join(noon, 'api/mkt.json'), 'utf8')
    const all = await changedKeys(noon, later)
    s3.puts()
    const child = start('publish', ['--to', target(), '--tree', later], { ...KEYS, S3_ENDPOINT: s3.endpoint })
    s3.onPut = (count) => {
      if (count <= all.length * share) return true
      child.kill('SIGKILL')
      return false
    }
    expect((await ended(child)).code).toBe(null)
    s3.onPut = () => true
    const first = documents(s3.puts())
    expect(first.length).toBeGreaterThan(0)

    const there = store()
    expect(await there.read('api/mkt.json')).toBe(indexBefore)
    const after = new Map((await filesAt(later)).map(({ path, sha256 }) => [path, sha256]))
    for (const { path, sha256: old } of (await filesAt(noon)).filter(({ path }) => path.startsWith('api/'))) {
      const text = await there.read(path)
      const now = after.get(path)
      expect([old, now], path).toContain(sha256(text ?? ''))
    }

    const next = await run('publish', ['--to', target(), '--tree', later], { ...KEYS, S3_ENDPOINT: s3.endpoint })
    expect(next.code).toBe(0)
    const second = documents(s3.puts())
    expect([...first, ...second].toSorted()).toEqual(all)
    await holds(later)
    expect(await publish(later)).toMatchObject({ uploaded: 0 })
  })

  it.each(scaled<number[]>([], [1001]))(
    'lists a store of %i keys, which is more than one page holds',
    async (length) => {
      const there = store()
      const plain = { body: Buffer.from('{}'), headers: { 'content-type': 'text/plain' } }
      const keys = Array.from({ length }, (_, n) => `k${String(n).padStart(4, '0')}`)
      await pLimit(16).map(keys, (key) => there.put({ key, ...plain }))
      expect([...(await there.list()).keys()]).toEqual(keys)
    },
  )

  it('says in a sentence what is missing: a tree, a bucket, keys', async () => {
    const empty = newFolder()
    await expect(publish(empty)).rejects.toThrow(/no complete tree.*npm run snapshot/)
    const nowhere = bucketAt({ bucket: 'absent', prefix: '' })
    await expect(publishTo(nowhere, noon)).rejects.toThrow(/NoSuchBucket.*publish again. It resumes where it stopped/)
    const keyless = await run('publish', ['--to', target(), '--tree', noon], { AWS_ACCESS_KEY_ID: '' })
    expect(keyless).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Set AWS_ACCESS_KEY_ID/) })
    const wrong = await run('publish', ['--to', 'bucket'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/^--to takes s3:\/\/<bucket>/) })
    rmSync(empty, { recursive: true })
  })
})

it('uploads only what changed, each file before those that refer to it, the index, its head last', async () => {
  await publish(noon)
  place.puts()
  await publish(later)
  const puts = documents(place.puts())
  expect(puts.toSorted()).toEqual(await changedKeys(noon, later))
  const waves = puts.filter((key) => /\.\w+$/.test(key)).map(waveOf)
  expect(waves).toEqual(waves.toSorted((a, b) => a - b))
  expect(puts.slice(-4).map((key) => key.replace('.json', ''))).toEqual([
    'api/mkt',
    'api/mkt',
    'api/mkt/head',
    'api/mkt/head',
  ])
  await holds(later)
})

it('uploads nothing of a tree that is there, and index and collector of one without news', async () => {
  const root = newFolder()
  copyTree(noon, root)
  await publish(root)
  place.puts()
  expect(await publish(root)).toMatchObject({ uploaded: 0, removed: 0, bytes: 0 })
  expect(place.puts()).toEqual([])
  for (const file of ['api/mkt.json', 'api/mkt/collector.json'])
    writeFileSync(join(root, file), readFileSync(join(root, file), 'utf8').replace('12:00:00Z', '12:30:00Z'))
  await publish(root)
  const puts = documents(place.puts())
  expect(puts.slice(0, 2).toSorted()).toEqual(['api/mkt/collector', 'api/mkt/collector.json'])
  expect(puts.slice(2).toSorted()).toEqual(['api/mkt', 'api/mkt.json'])
})

it('deletes removed files last, and leaves foreign objects alone', async () => {
  const fuller = newFolder()
  await leanRun(fuller, { count: 3, registry: leanRegistry(3) })
  await publish(fuller)
  const there = store()
  const foreign = { body: Buffer.from('mine'), headers: { 'content-type': 'text/plain' } }
  await there.put({ key: 'photos/cat.txt', ...foreign })
  place.removals()
  const kept = await changedKeys(null, noon)
  const gone = (await changedKeys(null, fuller)).filter((key) => !kept.includes(key))
  expect(gone).toContain('api/mkt/assets/dmt-nat.json')
  expect(await publish(noon)).toMatchObject({ removed: gone.length })
  expect(place.removals().toSorted()).toEqual(gone.map((key) => `${prefix}/${key}`))
  expect(await there.read('photos/cat.txt')).toBe('mine')
  await there.remove('photos/cat.txt')
  await holds(noon)
})

it('uploads an object again that was deleted', async () => {
  await publish(noon)
  const there = store()
  await there.remove('api/mkt/assets/bitcoin')
  place.puts()
  expect(await publish(noon)).toMatchObject({ uploaded: 1 })
  expect(documents(place.puts())).toEqual(['api/mkt/assets/bitcoin'])
})

it('leaves nothing of a publication that was cut off when the next one brings the older tree back', async () => {
  await publish(noon)
  place.onPut = (count) => count < 60
  await expect(publish(later)).rejects.toThrow(DeliveryError)
  place.onPut = () => true
  await publish(noon)
  await holds(noon)
})

it('resumes the first publication', async () => {
  place.onPut = (count) => count < 60
  await expect(publish(noon)).rejects.toThrow(`s3://${BUCKET}/${prefix}/`)
  place.onPut = () => true
  const first = documents(place.puts())
  await publish(noon)
  expect([...first, ...documents(place.puts())].toSorted()).toEqual(await changedKeys(null, noon))
  await holds(noon)
})

it('exits with 3 where the store refuses, and says what it answered and what to do', async () => {
  const host = await hostOf((_, response) => response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>'))
  try {
    const { code, stderr } = await run('publish', ['--to', target(), '--tree', noon], {
      ...KEYS,
      S3_ENDPOINT: host.url,
    })
    expect([code, stderr]).toEqual([3, expect.stringMatching(/ AccessDenied with status 403\. .* publish again\./)])
  } finally {
    await host.close()
  }
})

it('compares by content where the manifest of the store is damaged', async () => {
  await publish(noon)
  const there = store()
  const damaged = { body: Buffer.from('{'), headers: { 'content-type': 'text/plain' } }
  await there.put({ key: 'api/mkt/manifest.json', ...damaged })
  await there.put({ key: 'api/mkt/assets/bitcoin.json', ...damaged })
  place.puts()
  await publish(noon)
  expect(documents(place.puts())).toEqual(['api/mkt/assets/bitcoin.json', 'api/mkt/manifest.json'])
  await holds(noon)
})

it('stops before the index at a file that differs from the manifest', async () => {
  const root = newFolder()
  copyTree(later, root)
  await publish(noon)
  place.puts()
  writeFileSync(join(root, 'api/mkt/assets/bitcoin.json'), '{}')
  await expect(publish(root)).rejects.toThrow(/bitcoin\.json does not match the manifest.*npm run snapshot/)
  expect(documents(place.puts())).not.toContain('api/mkt.json')
})

it.each([
  ['s3://bucket', { bucket: 'bucket', prefix: '' }],
  ['s3://bucket/', { bucket: 'bucket', prefix: '' }],
  ['s3://my.bucket-1/a//b/', { bucket: 'my.bucket-1', prefix: 'a/b/' }],
  ['s3://', null],
  ['bucket/prefix', null],
  ['https://bucket', null],
  ['s3://Bucket', null],
])('reads the address %s', (text, address) => {
  expect(bucketAddress(text)).toEqual(address)
})

it.each([
  ['api/mkt.json', ['api/mkt.json', 'api/mkt']],
  ['api/mkt/assets/limit=10.json', ['api/mkt/assets/limit=10.json']],
  ['api/mkt/history/bitcoin/days=30.json', ['api/mkt/history/bitcoin/days=30.json']],
  ['api/mkt/history/bitcoin.json', ['api/mkt/history/bitcoin.json', 'api/mkt/history/bitcoin']],
  ['api/mkt/assets.csv', ['api/mkt/assets.csv']],
  ['openapi.json', ['openapi.json']],
  ['index.html', ['index.html']],
  ['token/bitcoin.html', ['token/bitcoin.html', 'token/bitcoin']],
  ['token/bitcoin/index.html', ['token/bitcoin/index.html', 'token/bitcoin']],
])('stores %s under its name and its path', (file, keys) => {
  expect(keysOf(file)).toEqual(keys)
})

deepIt(
  'takes at most 2,000 requests for a half hour of 122 listings with pages and candles that are still filled',
  async () => {
    const root = newFolder()
    const run = async (now: number) => {
      const given = { count: 120, history: { perRun: 60, perSource: 60 }, budget: HOST_BUDGETS.bucket, now }
      await sampleRun(root, { ...given, ...(await withPages('https://quotes.example/')) })
      await publish(root)
      // The listing, the manifest with its parts and the list of tables are read.
      const parts = readdirSync(join(root, 'api/mkt/manifest')).length
      return 3 + parts + place.puts().length + place.removals().length
    }
    expect(await run(NOON)).toBeGreaterThan(600)
    expect(await run(NOON + 30 * MINUTES)).toBeLessThanOrEqual(2000)
  },
)
