import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { GATE } from '../../src/feed/gate-rules.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { NOON, newFolder, sampleRun } from '../sample-tree.ts'

const HOUR = 3_600_000
const [MANY, FEW] = [40, 30]

it('ends by equal runs where every run begins on an empty machine that is given the state of the last', async () => {
  const [site, cache] = [newFolder(), join(newFolder(), 'state')]
  const from = [placeAt(site, { timeoutMs: 120_000, attempts: 1, pause: async () => {} })]
  await sampleRun(site, { count: MANY, checkpoint: true })
  const outcomes: string[] = []
  for (let run = 1; run <= GATE.heal_runs; run++) {
    const root = newFolder()
    if (existsSync(cache)) cpSync(cache, join(root, 'state'), { recursive: true })
    const report = await sampleRun(root, { count: FEW, now: NOON + run * HOUR, checkpoint: true, from })
    // The cache of the first run was empty; each leaves the next one all of the state.
    expect(report.restored?.kind).toBe('checkpoint')
    expect(existsSync(join(root, 'state/latest.json'))).toBe(true)
    outcomes.push(report.outcome)
    rmSync(cache, { recursive: true, force: true })
    cpSync(join(root, 'state'), cache, { recursive: true })
    // The site is gone after the first run.
    from.splice(0, run === 1 ? 1 : 0)
  }
  expect(outcomes).toEqual([...Array.from({ length: GATE.heal_runs - 1 }, () => 'refused'), 'published'])
})
