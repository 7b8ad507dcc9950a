import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS, migrated } from '../../src/tree/migrations/table.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { sharedSampleTree } from '../sample-tree.ts'
import { PUBLISHERS, treeOf } from './published-trees.ts'

/** The documents of a tree that a migration may concern, with their texts. */
const documentsIn = (root: string) =>
  filesBelow(root, 'api')
    .filter((file) => MIGRATIONS.some((steps) => steps.some(({ isOf }) => isOf(file))))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)

describe.each(PUBLISHERS)('the documents that commit %s published', (commit) => {
  it('are in the current version after the migrations, which then change nothing', () => {
    const documents = documentsIn(treeOf(commit))
    expect(documents.length).toBeGreaterThan(100)
    for (const [file, text] of documents) {
      const once = migrated(file, text, 0)
      expect(migrated(file, once, 0)).toBe(once)
    }
  })
})

it('a migration leaves the documents of the current version as they are, byte for byte', async () => {
  for (const [file, text] of documentsIn(await sharedSampleTree())) expect(migrated(file, text, 0)).toBe(text)
})

it('a migration that changes documents is in a file with the number of a version', () => {
  const files = readdirSync(new URL('../../src/tree/migrations/', import.meta.url)).filter((name) => /^\d/.test(name))
  const changing = MIGRATIONS.flatMap((steps, at) => (steps.length > 0 ? [at + 1] : []))
  expect(files.map((name) => Number.parseInt(name, 10))).toEqual(changing)
})

it('a document that is not an object is left to its schema', () => {
  for (const text of ['', '{', 'null', '[]', '7']) expect(migrated('api/mkt/collector.json', text, 0)).toBe(text)
})
