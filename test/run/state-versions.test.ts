import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { STATE_VERSION } from '../../src/contract/words.ts'
import { NO_DAMAGE } from '../../src/run/damage.ts'
import { sampleSources } from '../../src/sources/sample/sample.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { fileFindings } from '../check/findings.ts'
import { deepIt } from '../scale.ts'
import { NOON, NO_REQUESTS, ONE_LIMITED_LIST, copyLeanTree, leanRun, newFolder, sampleRun } from '../sample-tree.ts'

const NEXT = NOON + 1_800_000
const archived = newFolder()
beforeAll(async () => {
  await leanRun(archived, { checkpoint: true })
})

/** A copy of a tree, with its checkpoint alone if asked. */
function copyOf(tree: string, folder = ''): string {
  const root = newFolder()
  cpSync(join(tree, folder), join(root, folder), { recursive: true, preserveTimestamps: true })
  return root
}
const place = (root: string) => placeAt(root, { timeoutMs: 1000, attempts: 1, pause: async () => {} })
const state = (version: number) => (text: string) => text.replace(/"stateVersion": ?\d+/, `"stateVersion":${version}`)
const edit = (root: string, file: string, change: (text: string) => string) =>
  writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8')))
const contentOf = (root: string) =>
  filesBelow(root, '')
    .filter((file) => !file.startsWith('.') && !file.startsWith('state/.'))
    .map((file) => readFileSync(join(root, file), 'utf8'))

it.each(['api/mkt.json', 'api/mkt/manifest.json'])(
  'a tree whose %s is of a newer version is refused in a sentence, and not a byte of it changes',
  async (file) => {
    const root = newFolder()
    await copyLeanTree(root)
    edit(root, file, state(STATE_VERSION + 1))
    const before = contentOf(root)
    await expect(leanRun(root, { now: NEXT })).rejects.toThrow(
      `${root} was published by a newer version of this program: its state has version ${STATE_VERSION + 1}, and this ` +
        `program reads version ${STATE_VERSION}. Nothing was changed. Update this program and run again.`,
    )
    expect(contentOf(root)).toEqual(before)
  },
)

it('a tree of an earlier version is refused with what to do', async () => {
  const root = newFolder()
  await copyLeanTree(root)
  edit(root, 'api/mkt.json', state(STATE_VERSION - 1))
  await expect(leanRun(root, { now: NEXT })).rejects.toThrow(
    `this program reads version ${STATE_VERSION}. Nothing was changed. Continue it with the commit that published it, or begin anew with --fresh.`,
  )
})

it('a tree of a newer version is replaced if --fresh asks for it', async () => {
  const root = newFolder()
  await copyLeanTree(root)
  edit(root, 'api/mkt.json', state(STATE_VERSION + 1))
  expect(await leanRun(root, { now: NEXT, fresh: true })).toMatchObject({ outcome: 'published' })
})

it('verify says that a tree is of a newer version, and finds nothing else in it', async () => {
  const root = newFolder()
  await copyLeanTree(root)
  edit(root, 'api/mkt.json', state(STATE_VERSION + 1))
  expect(await fileFindings(root)).toMatchObject([
    { check: 'build', member: 'stateVersion', published: STATE_VERSION + 1, advice: expect.stringMatching(/^Update/) },
  ])
})

it.each([
  ['checkpoint', 'state', 'state/latest.json'],
  ['tree', 'api', 'api/mkt.json'],
])('a %s of a newer version elsewhere is refused, even if another place has an older one', async (_, folder, file) => {
  const newer = copyOf(archived, folder)
  if (folder === 'api') cpSync(join(archived, 'api/mkt.json'), join(newer, 'api/mkt.json'))
  edit(newer, file, state(STATE_VERSION + 1))
  const run = leanRun(newFolder(), { now: NEXT, from: [place(archived), place(newer)] })
  await expect(run).rejects.toThrow(`${file} at ${newer} was published by a newer version of this program`)
})

it('a checkpoint of another feed, of sample data, is refused where real data is collected', async () => {
  const root = newFolder()
  const run = leanRun(root, { now: NEXT, from: [place(archived)], kind: 'live' })
  await expect(run).rejects.toThrow(/cannot be extended with live sources/)
})

deepIt('a checkpoint of tomorrow is refused by the clock, unless the sources say that today is today', async () => {
  const tomorrow = newFolder()
  // The gate judges feeds of 20 listings and more.
  const small = { count: 20, history: NO_REQUESTS, composition: ONE_LIMITED_LIST, now: NOON }
  await sampleRun(tomorrow, { ...small, now: NOON + 24 * 3_600_000, checkpoint: true })
  const undated = sampleSources(NOON, 20).map((source) => ({
    ...source,
    observe: async (...asked: Parameters<typeof source.observe>) =>
      [...(await source.observe(...asked))].map((row) =>
        row.kind === 'quote' || row.kind === 'sighting' ? { ...row, at: null } : row,
      ),
  }))
  const from = [place(tomorrow)]
  const report = await sampleRun(newFolder(), { ...small, from, sources: undated })
  expect(report.refusals).toMatchObject([{ rule: 'clock_back', message: expect.stringMatching(/clock/) }])
  expect(await sampleRun(newFolder(), { ...small, from })).toMatchObject({ outcome: 'published', damaged: NO_DAMAGE })
})

it('a version that is no number is damage, and no newer version', async () => {
  const root = newFolder()
  await copyLeanTree(root)
  writeFileSync(join(root, 'api/mkt.json'), '{"stateVersion":"2"}')
  expect(await leanRun(root)).toMatchObject({ outcome: 'published' })
})
