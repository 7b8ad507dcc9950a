import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { LAYOUT } from '../../src/core/tree/layout.ts'
import { folderReader } from '../../src/core/tree/reader.ts'
import { sharedSampleTree } from '../sample-tree.ts'

const read = folderReader(await sharedSampleTree())

it('has less than 300 bytes and says of the snapshot what the index says', async () => {
  const [text, index] = [await read(LAYOUT.head), await read(LAYOUT.index)]
  expect(gzipSync(text ?? '').byteLength).toBeLessThan(300)
  const { snapshotId, generatedAt, nextBuildAt, staleAfter } = JSON.parse(index ?? '')
  expect(JSON.parse(text ?? '')).toMatchObject({ snapshotId, generatedAt, nextBuildAt, staleAfter })
})
