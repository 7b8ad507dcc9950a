import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { filesInFolder } from '../../src/check/file-inspection.ts'
import { verifyTree } from '../../src/check/verify.ts'
import { specs } from '../../src/endpoints/table.ts'
import { BUILT_IN } from '../../src/exports/table.ts'
import { finishPublication } from '../../src/tree/tree.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { RestoreError, TreeError } from '../../src/tree/tree-error.ts'
import { fileErrors } from '../check/findings.ts'
import { NOON, newFolder, sampleRun } from '../sample-tree.ts'
import { type Harm, byImportance, copyOf, damage, harms, leave, leftovers } from './damaged-trees.ts'

// FUZZ_RUNS=500 FUZZ_SEED=1 npx vitest run test/tree/damage.deep.test.ts
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 40)
const seed = process.env['FUZZ_SEED']
const settings = { numRuns, endOnFailure: true, ...(seed === undefined ? {} : { seed: Number(seed) }) }

const MINUTE = 60_000
const COUNT = 2
const good = newFolder()
let files: readonly string[]
beforeAll(async () => {
  await sampleRun(good, { count: COUNT, now: NOON - 25 * 60 * MINUTE })
  await sampleRun(good, { count: COUNT + 1, now: NOON })
  files = byImportance(filesBelow(good, ''))
})

/** A refusal is one sentence that says what to do next, and no fault of the program. */
function expectRefusal(error: unknown): void {
  expect(
    error instanceof TreeError || error instanceof RestoreError,
    String(error instanceof Error ? error.stack : error),
  ).toBe(true)
  expect(String(error)).toMatch(/replace|delete|publish|start|run again|choose|name that|try again|wait/i)
}

const run = (root: string, now: number, from?: string) =>
  sampleRun(root, {
    count: COUNT + 1,
    now,
    ...(from === undefined
      ? {}
      : {
          from: [placeAt(from, { timeoutMs: 120_000, attempts: 1, pause: async () => {} })],
        }),
  })

/** What is wrong with a tree but for its log, which stays until somebody puts a copy back: no run begins a second one. */
const errorsBesideLog = async (root: string, now: number) =>
  (await fileErrors(root, now)).filter(({ advice }) => advice?.startsWith('Put the folder log of a copy back') !== true)

/** Ends with a whole tree, by following the advice where there is any, or with a refusal. */
async function expectWholeOrRefused(root: string, now: number, from?: string): Promise<void> {
  await verifyTree(filesInFolder(root), { specs, composition: BUILT_IN, now })
  try {
    const { outcome, refusals } = await run(root, now, from)
    if (outcome !== 'published') {
      expect(refusals.length).toBeGreaterThan(0)
      return
    }
    const errors = await errorsBesideLog(root, now)
    for (const { document, advice } of errors) {
      // Of the size and the time it should have: whoever follows the advice has it composed again.
      expect(advice).toContain(`Run touch ${join(root, document)}, then `)
      utimesSync(join(root, document), new Date(now), new Date(now))
    }
    if (errors.length > 0) await run(root, now + MINUTE)
    const left = await errorsBesideLog(root, now + MINUTE)
    // Where the manifest was lost, nothing but their names tells two swapped files of the past apart: only a copy helps.
    expect(left.filter(({ rule }) => rule !== 'the name of the file')).toEqual([])
  } catch (error) {
    if (error instanceof Error && error.name === 'AssertionError') throw error
    expectRefusal(error)
  }
}

/** A folder whose neighbours must stay as they are. */
function guarded(): { readonly root: string; readonly check: () => void } {
  const parent = newFolder()
  const outside = join(parent, 'outside')
  writeFileSync(outside, 'kept')
  return { root: join(parent, 'tree'), check: () => expect(readFileSync(outside, 'utf8')).toBe('kept') }
}

it('a run over any damaged tree ends with a whole tree or a refusal', async () => {
  await fc.assert(
    fc.asyncProperty(harms, leftovers, fc.boolean(), async (harms, left, serves) => {
      const { root, check } = guarded()
      copyOf(good, root)
      damage(root, files, harms)
      leave(root, left)
      if (serves) finishPublication(root, Date.now())
      await expectWholeOrRefused(root, NOON + 20 * MINUTE)
      check()
      rmSync(dirname(root), { recursive: true })
    }),
    settings,
  )
})

it('a restore from any damaged mirror ends with a whole tree or a refusal', async () => {
  await fc.assert(
    fc.asyncProperty(harms, async (harms: readonly Harm[]) => {
      const { root, check } = guarded()
      const mirror = copyOf(good, join(dirname(root), 'mirror'))
      damage(mirror, files, harms)
      await verifyTree(filesInFolder(mirror), { specs, composition: null, now: NOON })
      await expectWholeOrRefused(root, NOON + 20 * MINUTE, mirror)
      expect(existsSync(join(dirname(root), 'passwd'))).toBe(false)
      check()
      rmSync(dirname(root), { recursive: true })
    }),
    settings,
  )
})
