import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyTree } from '../../src/check/verify.ts'
import { sampleSources } from '../../src/sources/sample/sample.ts'
import { SourceError } from '../../src/sources/source-error.ts'
import type { Source } from '../../src/sources/source.ts'
import { run } from '../e2e/commands.ts'
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
import { composed, filesOf, readerOf } from './mutations.ts'

const unreachable = (source: Source): Source => ({
  ...source,
  observe: () => Promise.reject(new SourceError('source_timeout', 'no answer')),
})

describe('an untouched tree', () => {
  it('follows from its own documents after its sources were switched off for good, which is an event', async () => {
    const root = newFolder()
    await copyLeanTree(root)
    const events: string[] = []
    for (const place of [1, 2]) {
      const now = NOON + place * 1_800_000
      const sources = sampleSources(now, LEAN_LISTINGS).filter(({ id }) => id !== 'sample-a')
      const report = await leanRun(root, { now, sources, history: NO_REQUESTS })
      events.push(...report.events.map(({ kind, subject }) => `${place} ${kind} ${subject}`))
      const files = filesOf(root)
      expect(
        (await verifyTree(readerOf(files), { ...composed, endpoints: ONE_LIMITED_LIST.endpoints })).deviations,
      ).toEqual([])
      const current = [...files].filter(([file]) => /(?:collector|dex-pairs|\/assets\/.*)\.json$/.test(file))
      expect(current.filter(([, text]) => text.includes('"sample-a"')).map(([file]) => file)).toEqual([])
    }
    expect(events).toEqual(['1 source_removed sample-a'])
  })

  it('follows to the last digit from its own documents', async () => {
    const { deviations, figures, listings } = await verifyTree(readerOf(filesOf(await sharedSampleTree())), composed)
    expect(deviations).toEqual([])
    expect(listings).toBeGreaterThan(30)
    expect(figures).toBeGreaterThan(5000)
  })

  it('still does after further runs, one of them without two of its sources', async () => {
    const root = newFolder()
    await copySampleTree(root)
    for (const [place, silent] of [['sample', 'sample-a'], []].entries()) {
      const now = NOON + (place + 1) * 1_800_000
      const sources = sampleSources(now, SAMPLE_LISTINGS).map((source) =>
        silent.includes(source.id) ? unreachable(source) : source,
      )
      await sampleRun(root, { now, sources })
      expect((await verifyTree(readerOf(filesOf(root)), composed)).deviations).toEqual([])
    }
  })
})

describe('npm run verify', () => {
  it('finds every figure of a tree equal', async () => {
    const { code, stdout } = await run('verify', ['--all', '--tree', await sharedSampleTree()])
    expect([code, stdout]).toMatchObject([
      0,
      expect.stringMatching(
        /^\d+ figures stand as a source tells them: .*volume_24h_usd\n\d+ figures of \d+ listings recomputed, 0 differ\n$/,
      ),
    ])
  })

  it('names the document and the member of a figure that differs, for a person and for a program', async () => {
    const root = await sampleTree()
    const file = join(root, 'api/mkt/assets/ethereum.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"price_usd":[\d.]+,"percent/, '"price_usd":1.5,"percent'))
    const { code, stdout } = await run('verify', ['ethereum', 'bitcoin', '--tree', root])
    expect(code).toBe(3)
    expect(stdout).toMatch(/^api\/mkt\/assets\/ethereum\.json asset\.price_usd: published 1\.5, recomputed \d/m)
    expect(stdout).not.toContain('bitcoin')
    const told = await run('verify', ['--all', '--json', '--tree', root])
    expect(told.code).toBe(3)
    expect(JSON.parse(told.stdout)).toMatchObject({
      deviations: expect.arrayContaining([
        expect.objectContaining({
          document: 'api/mkt/assets/ethereum.json',
          member: 'asset.price_usd',
          published: 1.5,
        }),
      ]),
    })
  })

  it.each([
    [[], /^Name an asset, or pass --all\./],
    [['--nope'], /--help/],
    [['nope'], /^\S+ holds no asset "nope"\. [^\n]+\n$/],
    [['../../etc/passwd'], /^"\.\.\/\.\.\/etc\/passwd" is not a slug[^\n]+\n$/],
    [['--all', 'bitcoin'], /^Pass either --all or [^\n]+\n$/],
    [['--all', '--tree', '/nowhere'], /^\/nowhere is not a folder [^\n]+\n$/],
  ])('answers the wrong use %j in a sentence', async (args, sentence) => {
    const tree = args.includes('--tree') ? [] : ['--tree', await sharedSampleTree()]
    const { code, stderr } = await run('verify', [...args, ...tree])
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toMatch(/^ +at /m)
  })
})
