import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { headOf } from '../../src/endpoints/api-index.ts'
import { isPart } from '../../src/contract/manifest-parts.ts'
import { LAYOUT } from '../../src/tree/layout.ts'
import { publishedHead } from '../../src/tree/published-head.ts'
import { folderReader } from '../../src/tree/reader.ts'
import { sharedSampleTree } from '../sample-tree.ts'

const read = folderReader(await sharedSampleTree())

it('has less than 300 bytes and says of the snapshot what the index says', async () => {
  const [text, index] = [await read(LAYOUT.head), await read(LAYOUT.index)]
  expect(gzipSync(text ?? '').byteLength).toBeLessThan(300)
  const { snapshotId, generatedAt, nextBuildAt, staleAfter } = JSON.parse(index ?? '')
  expect(JSON.parse(text ?? '')).toMatchObject({ snapshotId, generatedAt, nextBuildAt, staleAfter })
  expect(headOf(index)).toBe(text)
})

it('is derived from the index of a tree that has none', async () => {
  const restored = await publishedHead(async (file) => (file === LAYOUT.head ? null : read(file)))
  const { covering } = restored === null || restored === 'changing' ? { covering: [] } : restored
  const unlisted = covering.filter(({ path }) => !isPart(path))
  expect(unlisted.map(({ path }) => path)).toEqual([LAYOUT.collector, LAYOUT.manifest, LAYOUT.index, LAYOUT.head])
  expect(unlisted.at(-1)?.text).toBe(await read(LAYOUT.head))
  expect(headOf('{"ok":true}')).toBeNull()
})
