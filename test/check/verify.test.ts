import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { onOnePublication } from '../../src/check/verify.ts'
import { sampleSources } from '../../src/sources/sample/sample.ts'
import { SourceError } from '../../src/sources/source-error.ts'
import type { Source } from '../../src/sources/source.ts'
import { run } from '../e2e/commands.ts'
import { deepIt } from '../scale.ts'
import {
  LEAN_LISTINGS,
  NO_REQUESTS,
  ONE_LIMITED_LIST,
  SAMPLE_LISTINGS,
  copyLeanTree,
  copySampleTree,
  leanRun,
  sampleRun,
  sampleTree,
  sharedSampleTree,
  newFolder,
  NOON,
} from '../sample-tree.ts'
import { filesOf, verified } from './mutations.ts'

const unreachable = (source: Source): Source => ({
  ...source,
  observe: () => Promise.reject(new SourceError('source_timeout', 'no answer')),
})

deepIt(
  'an untouched tree follows from its own documents after its sources were switched off for good, which is an event',
  async () => {
    const root = newFolder()
    await copyLeanTree(root)
    const events: string[] = []
    for (const place of [1, 2]) {
      const now = NOON + place * 1_800_000
      const sources = sampleSources(now, LEAN_LISTINGS).filter(({ id }) => id !== 'sample-a')
      const report = await leanRun(root, { now, sources, history: NO_REQUESTS })
      events.push(...report.events.map(({ kind, subject }) => `${place} ${kind} ${subject}`))
      const files = filesOf(root)
      expect((await verified(files, { composition: ONE_LIMITED_LIST })).findings).toEqual([])
      const current = [...files].filter(([file]) => /(?:collector|dex-pairs|\/assets\/.*)\.json$/.test(file))
      expect(current.filter(([, text]) => text.includes('"sample-a"')).map(([file]) => file)).toEqual([])
    }
    expect(events).toEqual(['1 source_removed sample-a'])
  },
)

// The command below finds nothing in it either.
deepIt('an untouched tree follows to the last digit from its own documents', async () => {
  const { findings, figures, listings, fragility } = await verified(filesOf(await sharedSampleTree()))
  expect(findings).toEqual([])
  expect(listings).toBeGreaterThan(SAMPLE_LISTINGS)
  expect(figures).toBeGreaterThan(5000)
  expect(fragility.length).toBeGreaterThan(10)
})

deepIt('an untouched tree still does after further runs, one of them without two of its sources', async () => {
  const root = newFolder()
  await copySampleTree(root)
  for (const [place, silent] of [['sample', 'sample-a'], []].entries()) {
    const now = NOON + (place + 1) * 1_800_000
    const sources = sampleSources(now, SAMPLE_LISTINGS).map((source) =>
      silent.includes(source.id) ? unreachable(source) : source,
    )
    await sampleRun(root, { now, sources })
    expect((await verified(filesOf(root))).findings).toEqual([])
  }
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

describe('npm run verify', () => {
  it('prints how far one false source moves the prices, and that nothing differs', async () => {
    const { code, stdout } = await run('verify', ['--tree', await sharedSampleTree()])
    expect([code, stdout]).toMatchObject([
      0,
      expect.stringMatching(
        /^(?:notice build: .*\n.*\n)?Price moves if [\s\S]*Most fragile[\s\S]*\n\d+ figures are published as a source reports them: .*volume_24h_usd\n\d+ figures and files of \d+ listings checked, 0 errors, [01] notices; snapshot [0-9a-f]{16}\n$/,
      ),
    ])
  })

  it('names the document and the member of a figure that differs, for a person and for a program', async () => {
    const root = await sampleTree()
    const file = join(root, 'api/mkt/assets/ethereum.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"price_usd":[\d.]+,"percent/, '"price_usd":1.5,"percent'))
    const { code, stdout } = await run('verify', ['ethereum', 'bitcoin', '--tree', root])
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /^error prices: api\/mkt\/assets\/ethereum\.json asset\.price_usd: published 1\.5, recomputed \d/m,
    )
    expect(stdout).toMatch(
      /^error digests: api\/mkt\/assets\/ethereum\.json: .*\n {2}Run touch .*ethereum\.json, then /m,
    )
    expect(stdout).not.toMatch(/^error.*bitcoin/m)
    const told = await run('verify', ['ethereum', '--json', '--tree', root])
    expect(told.code).toBe(3)
    const named = { document: 'api/mkt/assets/ethereum.json', member: 'asset.price_usd', published: 1.5 }
    expect(JSON.parse(told.stdout)).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ check: 'prices', ...named })]),
    })
  })

  it.each([
    [['nope'], /^\S+ has no asset "nope"\. [^\n]+\n$/],
    [['../../etc/passwd'], /^"\.\.\/\.\.\/etc\/passwd" is not a slug[^\n]+\n$/],
    [['--tree', '/nowhere'], /^\/nowhere is not a folder [^\n]+\n$/],
    [['--manifest', 'a'], /^There is no option --manifest\. [^\n]+\n$/],
  ])('answers the wrong use %j in a sentence', async (args, sentence) => {
    const tree = args.includes('--tree') ? [] : ['--tree', await sharedSampleTree()]
    const { code, stderr } = await run('verify', [...args, ...tree])
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toMatch(/^ +at /m)
  })
})
