import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { fileOf } from '../../src/contract/endpoint-spec.ts'
import { TABLES_FILE, tablesIn } from '../../src/contract/tables.ts'
import { publishTo } from '../../src/delivery/bucket.ts'
import { published } from '../../src/endpoints/table.ts'
import { tables } from '../../src/endpoints/operations.ts'
import { publishTables } from '../../src/exports/publish-tables.ts'
import { writeTables } from '../../src/exports/tables.ts'
import { LAYOUT } from '../../src/tree/layout.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { restoreNewest } from '../../src/tree/restore-newest.ts'
import { Tree } from '../../src/tree/tree.ts'
import { writeCheckpoint } from '../../src/tree/write-checkpoint.ts'
import { fileErrors, fileFindings } from '../check/findings.ts'
import { memoryStore } from '../delivery/memory-store.ts'
import { NOON, copyLeanTree, leanRun, copyTree, newFolder } from '../sample-tree.ts'

const root = newFolder()
const bare = newFolder()
const textIn = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')

async function table(folder: string): Promise<boolean> {
  const tree = new Tree(folder)
  const at = new Date(NOON).toISOString().replace('.000Z', 'Z')
  return publishTables(
    tree,
    await writeTables({ root: folder, files: tree.files, read: (file) => tree.read(file) }, at),
  )
}

beforeAll(async () => {
  await copyLeanTree(bare)
  writeCheckpoint(new Tree(bare))
  copyTree(bare, root)
  await table(root)
})

describe('the list of tables', () => {
  it('has the file that its declaration names, and is empty before any were written', () => {
    expect(fileOf(tables, {})).toBe(TABLES_FILE)
    expect(JSON.parse(textIn(bare, TABLES_FILE))).toMatchObject({ ok: true, generatedAt: null, count: 0, rows: [] })
  })

  it('is published into the tree: listed, in the contract, and everything else keeps its bytes', async () => {
    expect(await fileErrors(root)).toEqual([])
    expect(textIn(root, LAYOUT.collector)).toBe(textIn(bare, LAYOUT.collector))
    const { rows, generatedAt } = tablesIn(textIn(root, TABLES_FILE))
    expect(generatedAt).toBe('2026-11-20T12:00:00Z')
    const names = [...new Set(rows.map((row) => row.table))]
    expect(names).toEqual(['assets', 'listings', 'quotes', 'rates', 'daily'])
    const changed = new Tree(bare).files.filter((file) => textIn(bare, file) !== textIn(root, file))
    expect(changed.toSorted()).toEqual([LAYOUT.manifest, expect.stringMatching(/manifest\/\d+\.json$/), TABLES_FILE])
    expect(textIn(bare, LAYOUT.index)).not.toBe(textIn(root, LAYOUT.index))
    expect(JSON.parse(textIn(root, LAYOUT.index)).generatedAt).toBe(JSON.parse(textIn(bare, LAYOUT.index)).generatedAt)
  })

  it('has the time of the snapshot, and the documents with its digest a later one', () => {
    const timestampIn = (folder: string, file: string) => String(JSON.parse(textIn(folder, file)).timestamp)
    expect(timestampIn(root, TABLES_FILE)).toBe('2026-11-20T12:00:00Z')
    for (const file of [LAYOUT.manifest, LAYOUT.index])
      expect(timestampIn(root, file) > timestampIn(bare, file), file).toBe(true)
  })

  it.each([LAYOUT.index, LAYOUT.manifest])(
    'leaves the members of %s in the order in which a snapshot writes them',
    (file) => {
      const membersIn = (folder: string) => Object.keys(JSON.parse(textIn(folder, file)))
      expect(membersIn(root)).toEqual(membersIn(bare))
    },
  )

  it('is equal for equal trees, and is not published again', async () => {
    const other = newFolder()
    copyTree(bare, other)
    await table(other)
    for (const file of [TABLES_FILE, LAYOUT.manifest, LAYOUT.index])
      expect(textIn(other, file)).toBe(textIn(root, file))
    expect(await table(other)).toBe(false)
  })

  it('is in the checkpoint, so that a machine that begins empty goes on from it', async () => {
    const empty = new Tree(newFolder())
    const place = placeAt(root, { timeoutMs: 0, attempts: 1, pause: async () => {} })
    expect((await restoreNewest(empty, [place], NOON)).kind).toBe('checkpoint')
    for (const file of [TABLES_FILE, LAYOUT.manifest, LAYOUT.index]) expect(empty.read(file)).toBe(textIn(root, file))
  })

  it('is carried by the next snapshot, whose manifest goes on from the published one', async () => {
    const next = newFolder()
    copyTree(root, next)
    await leanRun(next, { now: NOON + 1_800_000 })
    expect(textIn(next, TABLES_FILE)).toBe(textIn(root, TABLES_FILE))
    expect(await fileErrors(next)).toEqual([])
  })

  it('is compared with its files: a damaged table is an error, and a missing one a notice', async () => {
    const harmed = newFolder()
    copyTree(root, harmed)
    const [assets = '', quotes = ''] = tablesIn(textIn(root, TABLES_FILE)).rows.map(({ path }) => path)
    writeFileSync(join(harmed, assets), 'PAR1')
    rmSync(join(harmed, quotes))
    expect((await fileFindings(harmed)).filter(({ check }) => check === 'tables')).toMatchObject([
      { document: assets, published: expect.stringMatching(/^4 bytes, /) },
      { document: quotes, published: null, severity: 'notice' },
    ])
    expect((await fileErrors(harmed)).map(({ document }) => document)).toEqual([assets])
  })
})

describe('a bucket', () => {
  const publish = (folder: string, store: ReturnType<typeof memoryStore>) =>
    publishTo(store, { root: folder, endpoints: published })
  const paths = () => tablesIn(textIn(root, TABLES_FILE)).rows.map(({ path }) => path)

  it('gets the tables with the tree, without a coding, and only once', async () => {
    const store = memoryStore('s3://bucket/', '')
    await publish(root, store)
    const puts = store.puts()
    const at = (key: string) => puts.indexOf(`/${key}`)
    for (const path of paths()) {
      expect(at(path)).toBeGreaterThanOrEqual(0)
      expect(at(path)).toBeLessThan(at(TABLES_FILE))
    }
    expect(await publish(root, store)).toMatchObject({ uploaded: 0, removed: 0 })
  })

  it('keeps them where the machine of the next run has none, and drops those that are no longer listed', async () => {
    const store = memoryStore('s3://bucket/', '')
    await publish(root, store)
    const fresh = newFolder()
    copyTree(root, fresh)
    rmSync(join(fresh, 'tables'), { recursive: true })
    await publish(fresh, store)
    const there = async () => [...(await store.list()).keys()].filter((key) => key.startsWith('tables/')).toSorted()
    expect(await there()).toEqual(paths().toSorted())
    await publish(bare, store)
    expect(await there()).toEqual([])
  })
})
