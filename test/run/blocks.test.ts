import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { sha256Of } from '../../src/contract/digest.ts'
import { isPart } from '../../src/contract/manifest-parts.ts'
import { filesInFolder } from '../../src/check/file-inspection.ts'
import { verifyTree } from '../../src/check/verify.ts'
import { createClient } from '../../src/client/client.ts'
import { Layout } from '../../src/contract/api-index.ts'
import { specs } from '../../src/endpoints/table.ts'
import { BUILT_IN } from '../../src/exports/table.ts'
import { filesIn } from '../../src/contract/blocks.ts'
import { filesBelow, folderReader } from '../../src/tree/reader.ts'
import { blockStore } from '../../src/service/documents.ts'
import { branchFacts } from '../../src/delivery/branch-facts.ts'
import { fileFindings } from '../check/findings.ts'
import { type Host, fileHost } from '../client/hosts.ts'
import { deepIt } from '../scale.ts'
import { FEW_REQUESTS, NOON, NO_REQUESTS, copyTree, newFolder, sampleRun } from '../sample-tree.ts'
import { manifestTexts, rowsIn, textsOf } from '../tree/manifest-texts.ts'

const LISTINGS = 40
const HALF_HOUR = 1_800_000
/** Fewer files than the flat tree has, and more than its lists. */
const BUDGET = { writes: null, files: 760, bytes: null, file_bytes: null, folder_files: null }

const runInto = (root: string, given: Parameters<typeof sampleRun>[1]): ReturnType<typeof sampleRun> =>
  sampleRun(root, { count: LISTINGS, history: NO_REQUESTS, ...given })

function copyOf(tree: string): string {
  const folder = newFolder()
  copyTree(tree, folder)
  return folder
}
const layoutIn = (root: string) =>
  z.object({ layout: Layout.nullable() }).parse(JSON.parse(readFileSync(join(root, 'api/mkt.json'), 'utf8'))).layout
const reader = (root: string) => blockStore({ read: (file) => folderReader(root)(file) }).read
/** Documents that tell of the other files or show the index. */
const ofRun = (file: string) => isPart(file) || ['api/mkt.json', 'api/mkt/manifest.json', 'openapi.json'].includes(file)

/** Documents of a flat tree that a tree with blocks does not hold byte for byte. */
async function lost(flat: string, inBlocks: string): Promise<string[]> {
  const read = reader(inBlocks)
  const files = rowsIn(textsOf(flat)).map(({ path }) => path)
  const same = await Promise.all(
    files.map(async (file) => ofRun(file) || (await read(file)) === readFileSync(join(flat, file), 'utf8')),
  )
  return files.filter((_, place) => !same[place])
}

describe('a tree with more documents than its host takes files', () => {
  let flat: string
  let inBlocks: string
  beforeAll(async () => {
    flat = newFolder()
    await runInto(flat, { history: FEW_REQUESTS })
    inBlocks = newFolder()
    await runInto(inBlocks, { history: FEW_REQUESTS, budget: BUDGET })
    // The first run only fetches the history that the changes of the next one are computed from.
    await runInto(flat, {})
    await runInto(inBlocks, { budget: BUDGET })
  })

  it('keeps to the number of files, and declares its layout', () => {
    expect(rowsIn(textsOf(flat)).length).toBeGreaterThan(BUDGET.files)
    expect(filesBelow(inBlocks, '').length).toBeLessThan(BUDGET.files)
    expect(layoutIn(flat)).toBe(null)
    expect(layoutIn(inBlocks)?.blocks.length).toBeGreaterThan(0)
  })

  it('answers every URL of the flat tree with the same bytes', async () => {
    expect(await lost(flat, inBlocks)).toEqual([])
  })

  it('follows to the last digit from its own documents', async () => {
    const { findings, listings } = await verifyTree(filesInFolder(inBlocks), {
      specs,
      composition: BUILT_IN,
      now: NOON,
    })
    expect([findings, listings > 30]).toEqual([[], true])
  })

  it('is sound, and a faulty document in a block is named', async () => {
    const root = copyOf(inBlocks)
    const block = rowsIn(textsOf(root)).find(({ path }) => path.startsWith('blocks/history/'))?.path ?? ''
    const [document] = filesIn(readFileSync(join(root, block), 'utf8'))
    const put = (file: string, text: string) => writeFileSync(join(root, file), text)
    const wrong = readFileSync(join(root, block), 'utf8').replace('"interval":"', '"interval":"x')
    put(block, wrong)
    // A program with a fault writes right digests of wrong documents.
    const own = { bytes: Buffer.byteLength(wrong), sha256: sha256Of(wrong) }
    const rows = rowsIn(textsOf(root)).map((row) => (row.path === block ? { ...row, ...own } : row))
    for (const [file, text] of manifestTexts(textsOf(root), rows)) put(file, text)
    expect(await fileFindings(root)).toMatchObject([{ check: 'schemas', document, member: 'interval' }])
  })

  it('gives the data branch the same facts', () => {
    expect(branchFacts(inBlocks)).toEqual(branchFacts(flat))
  })

  it('is extended like the flat tree, and writes nothing without news', async () => {
    const [nextFlat, next] = [copyOf(flat), copyOf(inBlocks)]
    const now = NOON + HALF_HOUR
    await runInto(nextFlat, { now })
    const { published } = await runInto(next, { now, budget: BUDGET })
    expect([await lost(nextFlat, next), published?.damaged]).toEqual([[], []])
    const again = await runInto(next, { now: now + 60_000, budget: BUDGET })
    expect(again.published?.written.toSorted()).toEqual(['api/mkt.json', 'api/mkt/collector.json', 'api/mkt/head.json'])
  })

  deepIt('is converted to a flat tree and back with all history', async () => {
    const root = copyOf(inBlocks)
    await runInto(root, {})
    expect([layoutIn(root), filesBelow(root, 'blocks'), await lost(flat, root)]).toEqual([null, [], []])
    await runInto(root, { budget: BUDGET })
    expect(await lost(flat, root)).toEqual([])
  })

  describe('read by the client from files alone', () => {
    let host: Host
    beforeAll(async () => {
      host = await fileHost(inBlocks)
    })
    afterAll(() => host.close())

    it('finds each listing of the tail in its block, and no others', async () => {
      const client = createClient({ mirrors: `${host.url}/some/folder`, now: () => NOON })
      const { data } = await client.assets()
      const tail = data.rows.at(-1)?.slug ?? ''
      const answers = await Promise.all([
        client.asset(tail),
        client.assetMarkets(tail),
        client.history(tail, { days: 30 }),
        client.symbol('BTC'),
      ])
      expect(answers.map(({ data: { endpoint } }) => endpoint)).toEqual(['asset', 'asset-markets', 'history', 'symbol'])
      await expect(client.asset('no-such-asset')).rejects.toMatchObject({ status: 404 })
    })
  })
})
