import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ENGINE_VERSION } from '../../scripts/environment.ts'
import { BUILT_IN, SITE, leanRun, newFolder } from '../sample-tree.ts'
import { run } from './commands.ts'

const CLEAR = '\u001b[2J\u001b]52;c;ZXZpbA==\u0007'
const RAW = /[^\P{C}\n]/u

it('brings no control character from a tree to the terminal', async () => {
  const tree = newFolder()
  const site = { ...SITE, program: ENGINE_VERSION }
  await leanRun(tree, { count: 3, site, composition: BUILT_IN })
  writeFileSync(join(tree, `api/mkt/a${CLEAR}\n::add-mask::b`), '')
  const { stdout, stderr } = await run('verify', ['--tree', tree])
  expect(stdout).toContain(String.raw`a\u001b[2J`)
  expect(stdout + stderr).not.toMatch(RAW)
  expect(stdout).not.toMatch(/^\s*::/m)
})

it('passes none on from a message or a stack', async () => {
  for (const args of [['--to', `git+-${CLEAR}`], [CLEAR]]) {
    const { stdout, stderr, code } = await run('publish', args)
    expect(code).toBe(2)
    expect(stdout + stderr).not.toMatch(RAW)
  }
})
