import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { World } from './world.ts'

// No world has a power cut, and the folders are in memory: a program is started for each publication otherwise.
vi.mock(import('../../src/core/tree/folders.ts'), async (original) => ({ ...(await original()), syncStaged: () => {} }))

/** Worlds to live through; `SIMULATION_SEED` replays one and prints its log. */
const SEEDS = Number(process.env['SIMULATION_SEEDS'] ?? 100)
const FIRST = Number(process.env['SIMULATION_FIRST'] ?? 1)
const REPLAYED = process.env['SIMULATION_SEED']
const RUNS = 6
/** A world takes seconds; a machine may be busy with other things. */
const LONGEST_MS = 60_000 * Math.max(10, SEEDS)

/** What is wrong with the world of a seed, and its log. */
async function live(seed: number): Promise<{ readonly faults: readonly string[]; readonly log: readonly string[] }> {
  const root = mkdtempSync(join(tmpdir(), 'world-'))
  const world = await World.of(root, seed)
  try {
    for (let run = 0; run < RUNS; run++) {
      const faults = await world.step()
      if (faults.length > 0) return { faults, log: world.log }
    }
    return { faults: await world.heal(), log: world.log }
  } catch (error) {
    return { faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)], log: world.log }
  } finally {
    await world.end()
    rmSync(root, { recursive: true })
  }
}

it(
  'loses no honest listing, publishes no lie unmarked, and heals, whatever the seed',
  async () => {
    const seeds =
      REPLAYED === undefined ? Array.from({ length: SEEDS }, (_, index) => FIRST + index) : [Number(REPLAYED)]
    const failures: string[] = []
    for (const seed of seeds) {
      const { faults, log } = await live(seed)
      if (REPLAYED !== undefined) console.log(log.join('\n'))
      if (faults.length === 0) continue
      const failure = `SIMULATION_SEED=${seed}: ${faults.slice(0, 3).join('; ')}\n  ${log.slice(-4).join('\n  ')}`
      // At once: a long simulation that is cut off has found something all the same.
      console.log(failure)
      failures.push(failure)
    }
    expect(failures.join('\n')).toBe('')
  },
  LONGEST_MS,
)
