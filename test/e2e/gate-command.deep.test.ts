import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { newFolder } from '../sample-tree.ts'
import { run } from './commands.ts'

it('npm run snapshot refuses half a list, says by which rule and how to override it, and obeys', async () => {
  const root = newFolder()
  const report = join(newFolder(), 'report.json')
  const snapshot = (listings: number, ...more: readonly string[]) =>
    run(
      'snapshot',
      ['--sources', 'sample', '--listings', String(listings), '--out', root, '--report', report, ...more],
      {
        MKT_NOW: '2026-11-20T12:00:00Z',
      },
    )
  await snapshot(60)
  const before = readFileSync(join(root, 'api/mkt.json'), 'utf8')

  const refused = await snapshot(35)
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringMatching(/no longer reported.*limit is 10 %[^]*--accept listings_fall/),
  ])
  expect(readFileSync(join(root, 'api/mkt.json'), 'utf8')).toBe(before)
  const Report = z.object({ outcome: z.string(), refusals: z.array(z.object({ rule: z.string() })) })
  const { outcome, refusals } = Report.parse(JSON.parse(readFileSync(report, 'utf8')))
  expect([outcome, refusals[0]?.rule]).toEqual(['refused', 'listings_fall'])

  const accepted = await snapshot(35, '--accept', refusals.map(({ rule }) => rule).join(','))
  expect(accepted.code).toBe(0)
  expect((await snapshot(35, '--accept', 'everything')).code).toBe(2)
})
