import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { openRegistry } from '../../src/core/registry/registry.ts'
import { SAMPLE_SPELLINGS } from '../../src/core/sources/sample/sample.ts'
import { entryOf } from '../feed/world.ts'
import { NO_REQUESTS, copyTree, newFolder, sampleRun, copySampleTree } from '../sample-tree.ts'
import { ended, run, start } from './commands.ts'
import { deepIt } from '../scale.ts'

const [a, b] = [newFolder(), newFolder()]
const Difference = z.object({
  verdict: z.string(),
  events: z.array(z.object({ kind: z.string(), subject: z.string() })),
})

beforeAll(async () => {
  await copySampleTree(a)
  copyTree(a, b)
  const assets = [...openRegistry().assets, entryOf('grove', { name: 'Grove' })]
  await sampleRun(b, {
    history: NO_REQUESTS,
    registry: openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS, assets }),
  })
})

it('npm run diff reports the planted changes and nothing else', async () => {
  const { code, stdout } = await run('diff', [a, b, '--json'])
  expect(code).toBe(0)
  expect(Difference.parse(JSON.parse(stdout))).toEqual({
    verdict: 'minor',
    events: [{ kind: 'listed', subject: 'grove' }],
  })
  expect((await run('diff', [b, a])).stdout).toContain('verdict: major\n  Grove (grove) is delisted')
})

deepIt('npm run diff finds nothing between two builds of equal input', async () => {
  const again = newFolder()
  await sampleRun(again)
  const { stdout } = await run('diff', [a, again])
  expect(stdout).toMatch(/^verdict: none\n0 of \d+ prices moved; 0 lost, 0 gained\n$/)
})

deepIt('npm run diff warns when it compares a sample with real data', async () => {
  const live = newFolder()
  copyTree(a, live)
  const index = join(live, 'api/mkt.json')
  writeFileSync(index, readFileSync(index, 'utf8').replace(/"label":"[^"]*"/, '"label":"live data"'))
  expect((await run('diff', [a, live])).stdout).toMatch(
    /^These trees hold different data, ".*sample.*" and "live data"/,
  )
})

it('npm run diff reads revisions of the repository around it', async () => {
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'ignore' })
  const repository = newFolder()
  git('init', '--quiet')
  for (const tree of [a, b]) {
    copyTree(join(tree, 'api'), join(repository, 'api'))
    git('add', '.')
    git('-c', 'user.name=x', '-c', 'user.email=x@x.example', 'commit', '--quiet', '-m', 'x')
  }
  const { stdout } = await ended(start('diff', ['HEAD~1', 'HEAD'], {}, repository))
  expect(stdout).toContain('Grove (grove) is listed')
})

it('npm run diff lists what it can compare', async () => {
  const { code, stderr } = await run('diff', [a, 'no-such-revision'])
  const expected = 'no-such-revision is not a folder with a tree, the URL of a site, or a git revision.'
  expect([code, stderr]).toEqual([2, expect.stringContaining(expected)])
})
