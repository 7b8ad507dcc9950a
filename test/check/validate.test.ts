import { expect, it } from 'vitest'
import { onOnePublication } from '../../src/check/one-publication.ts'
import { validateTree } from '../../src/check/validate.ts'
import { run } from '../e2e/commands.ts'
import { copySampleTree, newFolder, sharedSampleTree } from '../sample-tree.ts'
import { filesOf, readerOf } from './mutations.ts'

it('computes the report from profiles and market rows', async () => {
  const { report, deviations } = await validateTree(readerOf(filesOf(await sharedSampleTree(12))))
  expect(deviations).toEqual([])
  expect(report?.rows.length).toBeGreaterThan(5)
})

it('names a document that cannot be read', async () => {
  const files = filesOf(await sharedSampleTree(12))
  files.delete('api/mkt/assets/bitcoin/markets.json')
  const { report, deviations } = await validateTree(readerOf(files))
  expect(report).toBeNull()
  expect(deviations).toMatchObject([{ document: 'api/mkt/assets/bitcoin/markets.json', published: 'no such file' }])
})

it('npm run validate prints the report', async () => {
  const root = newFolder()
  await copySampleTree(root, 12)
  expect(await run('validate', ['--tree', root])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Price moves [\s\S]*Most fragile/),
  })
})

it('reads a tree again that was published meanwhile, and gives up where that never ends', async () => {
  const reads = (indexes: readonly string[]) => {
    const left = [...indexes]
    return async () => left.shift() ?? 'last'
  }
  let works = 0
  const work = async () => ++works
  expect(await onOnePublication(reads(['a', 'b', 'b', 'b']), work)).toBe(2)
  expect(await onOnePublication(reads(['a', 'b', 'c', 'd', 'e', 'f']), work)).toBeNull()
})
