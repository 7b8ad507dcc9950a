import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { BUILT_IN, leanRun, newFolder } from '../sample-tree.ts'

async function treeOf(endpoints: typeof BUILT_IN.endpoints): Promise<Map<string, string>> {
  const root = newFolder()
  await leanRun(root, { composition: { ...BUILT_IN, endpoints } })
  return new Map(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(root, file), sha256Of(readFileSync(file))] as const)
      .filter(([file]) => !/(^|\/)\./.test(file)),
  )
}

it('publishes the same tree whatever the order of the endpoints', async () => {
  const given = await treeOf(BUILT_IN.endpoints)
  const reversed = await treeOf(BUILT_IN.endpoints.toReversed())
  expect([...reversed.keys()].toSorted()).toEqual([...given.keys()].toSorted())
  expect([...given].filter(([file, digest]) => reversed.get(file) !== digest)).toEqual([])
})
