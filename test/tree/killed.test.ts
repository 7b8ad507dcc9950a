import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it, vi } from 'vitest'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { isUnfinished } from '../../src/core/tree/journal.ts'
import { filesBelow } from '../../src/core/tree/reader.ts'
import { finishPublication } from '../../src/core/tree/tree.ts'
import { NOON, copyLeanTree, copyTree, leanRun, newFolder } from '../sample-tree.ts'
import { scaled } from '../scale.ts'
import { type Death, Killed, dying } from '../simulation/dying-disk.ts'

// No power is cut: a program is started for each publication otherwise.
vi.mock(import('../../src/core/tree/folders.ts'), async (original) => ({ ...(await original()), syncStaged: () => {} }))

const HOUR = 3_600_000
const digests = (root: string) =>
  new Map(filesBelow(root, '').map((file) => [file, sha256Of(readFileSync(join(root, file)))]))

const before = newFolder()
const after = newFolder()
let writes: { readonly all: number; readonly moves: number }
beforeAll(async () => {
  await copyLeanTree(before)
  copyTree(before, after)
  const run = await dying(after, null, () => leanRun(after, { now: NOON + HOUR }))
  const moves = run.result instanceof Killed ? 0 : (run.result.published?.written.length ?? 0)
  writes = { all: run.writes, moves }
})

/** Deaths at equal shares of the writes of a run: those before its journal appears, and those after it. */
const SHARES = scaled(4, 24)
const DEATHS: readonly (readonly [Death['after'], number])[] = Array.from({ length: SHARES }, (_, place) => [
  ['start', Math.round((100 * place) / SHARES)] as const,
  ['journal', Math.round((100 * place) / SHARES)] as const,
]).flat()

it.each(DEATHS)(
  'a run that is killed after its %s, at %d percent of its writes, has published all or nothing',
  async (point, share) => {
    const root = newFolder()
    copyTree(before, root)
    const death = {
      after: point,
      writes: Math.floor((share / 100) * (point === 'journal' ? writes.moves : writes.all * 0.5)),
    }
    const { isKilled } = await dying(root, death, () => leanRun(root, { now: NOON + HOUR }))
    expect(isKilled).toBe(true)
    // The lock of this process, which would be gone with it.
    for (const name of readdirSync(root)) if (name.startsWith('.lock')) rmSync(join(root, name))
    const isCommitted = isUnfinished(root)
    if (point === 'journal') expect(isCommitted).toBe(true)
    if (isCommitted) expect(finishPublication(root, Date.now())).toBeNull()
    else await leanRun(root, { now: NOON + HOUR })
    expect(digests(root)).toEqual(digests(after))
  },
)
