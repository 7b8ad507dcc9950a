import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { endpointsOf } from '../src/core/endpoints/table.ts'
import { leanRun, newFolder } from './sample-tree.ts'
import { ECOSYSTEM } from '../src/core/contract/product.ts'

it('builds the API of the sample without anything else', async () => {
  const root = newFolder()
  const { published } = endpointsOf(ECOSYSTEM)
  const composition = { endpoints: published, attachments: [], tables: () => [] }
  const report = await leanRun(root, { composition })
  expect(report.outcome).toBe('published')
  expect(
    readdirSync(root)
      .filter((name) => !name.startsWith('.'))
      .toSorted(),
  ).toEqual(['api', 'state'])
  for (const file of ['assets', 'assets/bitcoin', 'history/bitcoin', 'global', 'manifest'])
    expect(existsSync(join(root, `api/mkt/${file}.json`)), file).toBe(true)
})
