import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { join } from 'node:path'
import { NOON, copySampleTree, newFolder } from '../sample-tree.ts'
import { run } from './commands.ts'

it('npm run replay builds a run again from its bundle and the tree before, byte for byte', async () => {
  const [root, previous, work] = [newFolder(), newFolder(), newFolder()]
  await copySampleTree(root)
  await copySampleTree(previous)
  const env = { MKT_NOW: new Date(NOON + 1_800_000).toISOString(), GITHUB_SHA: 'abc1234' }
  const kept = join(work, 'kept')
  const args = ['--sources', 'sample', '--listings', '30', '--out', root, '--record', kept]
  expect(await run('snapshot', args, env)).toMatchObject({ code: 0 })

  const out = join(work, 'out')
  const again = ['--tree', previous, '--commit', 'abc1234']
  expect(await run('replay', [kept, '--out', out, ...again])).toMatchObject({ code: 0 })
  // What a run keeps and does not publish is in dot files.
  execFileSync('diff', ['--recursive', '--brief', '--exclude=.*', root, out])
})
