import { cpSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { GATE } from '../../src/core/feed/gate.ts'
import { privateFolder } from '../../src/core/run/run-cache.ts'
import { placeAt } from '../../src/core/tree/remote.ts'
import { NOON, newFolder, sampleRun } from '../sample-tree.ts'

const HOUR = 3_600_000
const [MANY, FEW] = [40, 30]

it('ends by equal runs where every run begins on an empty machine that is given what the last one kept', async () => {
  const site = newFolder()
  await sampleRun(site, { count: MANY })
  const from = [placeAt(site, { timeoutMs: 120_000, attempts: 1, pause: async () => {} })]
  const outcomes: string[] = []
  let kept = ''
  for (let run = 1; run <= GATE.heal_runs; run++) {
    const root = join(newFolder(), 'tree')
    if (kept !== '') cpSync(kept, privateFolder(root), { recursive: true })
    const report = await sampleRun(root, { count: FEW, now: NOON + run * HOUR, from })
    expect(report.restored?.place).toBe(site)
    // A refused run writes nothing into the tree.
    expect(existsSync(join(root, 'state'))).toBe(report.outcome === 'published')
    outcomes.push(report.outcome)
    kept = privateFolder(root)
    expect(dirname(dirname(kept))).toBe(dirname(root))
  }
  expect(outcomes).toEqual([...Array.from({ length: GATE.heal_runs - 1 }, () => 'refused'), 'published'])
})
