import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { publishTo } from '../../src/delivery/bucket.ts'
import { published } from '../../src/endpoints/table.ts'
import { HOST_BUDGETS } from '../../src/service/budgets.ts'
import { Checkpoint, partsOf as filesOf } from '../../src/tree/checkpoint.ts'
import { NOON, leanRun, copyTree, newFolder, sampleRun, NO_REQUESTS } from '../sample-tree.ts'
import { memoryStore } from './memory-store.ts'
import { deepIt } from '../scale.ts'

const noon = newFolder()
const later = newFolder()
beforeAll(async () => {
  await leanRun(noon, { checkpoint: true })
  copyTree(noon, later)
  await leanRun(later, { checkpoint: true, now: NOON + 1_800_000 })
})

const partsOf = (root: string) =>
  filesOf(Checkpoint.parse(JSON.parse(readFileSync(join(root, 'state/latest.json'), 'utf8')))).map(
    ({ file }) => `state/${file}`,
  )
const publish = (root: string, store: ReturnType<typeof memoryStore>) =>
  publishTo(store, { root, endpoints: published })

it('uploads the checkpoint beside the tree, its pointer after its parts', async () => {
  const store = memoryStore('s3://bucket/', '')
  await publish(noon, store)
  const puts = store
    .puts()
    .map((key) => key.slice(1))
    .filter((key) => !key.startsWith('log/'))
  expect(puts.slice(-6, -4).toSorted()).toEqual(['api/mkt', 'api/mkt.json'])
  expect(puts.slice(-4, -2).toSorted()).toEqual(['api/mkt/head', 'api/mkt/head.json'])
  expect(puts.slice(-2)).toEqual(['state/latest.json', '.publication.json'])
  const there = await store.list()
  for (const part of partsOf(noon))
    expect(there.get(part)?.etag).toBe(
      createHash('md5')
        .update(readFileSync(join(noon, part)))
        .digest('hex'),
    )
})

it('replaces the archive by the next one, and writes nothing when there is none', async () => {
  const store = memoryStore('s3://bucket/', '')
  await publish(noon, store)
  store.puts()
  expect(await publish(noon, store)).toMatchObject({ uploaded: 0, removed: 0 })
  expect(store.puts()).toEqual([])

  await publish(later, store)
  const keys = [...(await store.list()).keys()].filter((key) => key.startsWith('state/'))
  expect(keys.toSorted()).toEqual([...partsOf(later), 'state/latest.json'].toSorted())
  const gone = partsOf(noon).filter((part) => !keys.includes(part))
  expect(gone).not.toEqual([])
  expect(store.removals().toSorted()).toEqual(gone.map((part) => `/${part}`).toSorted())
})

it('leaves the archive in the store alone where the tree has none', async () => {
  const store = memoryStore('s3://bucket/', '')
  await publish(noon, store)
  const bare = newFolder()
  await leanRun(bare)
  await publish(bare, store)
  expect([...(await store.list()).keys()]).toContain('state/latest.json')
})

deepIt(
  'costs at most 2,500 requests in the layout for buckets, and 400 for each half hour of a small feed without pages',
  async () => {
    const root = newFolder()
    const store = memoryStore('s3://bucket/', '')
    const made = async (now: number) => {
      const before = store.puts().length
      await sampleRun(root, { now, count: 120, history: NO_REQUESTS, budget: HOST_BUDGETS.bucket })
      await publish(root, store)
      return store.puts().length - before
    }
    expect(await made(NOON)).toBeLessThan(2500)
    expect(await made(NOON + 1_800_000)).toBeLessThanOrEqual(400)
  },
)
