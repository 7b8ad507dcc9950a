import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { RUNS_A_DAY, RUNS_OF_YEAR, Year } from './year.ts'

// No power is cut, and the folders are in memory: a program is started for each publication otherwise.
vi.mock(import('../../src/tree/folders.ts'), async (original) => ({ ...(await original()), syncFiles: () => {} }))

// YEAR_RUNS=17520 YEAR_LISTINGS=300 npx vitest run --project deep test/simulation/year
const RUNS = Number(process.env['YEAR_RUNS'] ?? 6000)
const LISTINGS = Number(process.env['YEAR_LISTINGS'] ?? 24)
const MEMORY = '/dev/shm'
const CHECKS = 10
/** Bytes of the checkpoint for each listing, for each of its daily closes, which are kept for ever, and beside them. */
const STATE = { each: 8192, close: 48, beside: 65_536 }
/** Bytes of the data branch for each listing and month, which are 3 MB at 3,000 listings, and beside them. */
const BRANCH = { each: 1000, beside: 200_000 }

it(
  'loses nothing in a year of outages, and no run starts anew',
  async () => {
    const year = new Year(mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'year-')), {
      runs: RUNS,
      listings: LISTINGS,
    })
    try {
      for (let run = 0; run < RUNS; run++) {
        expect(await year.step(run)).toEqual([])
        if ((run + 1) % Math.floor(RUNS / CHECKS) !== 0) continue
        const { published, refused, restored, stateBytes } = year.tally
        // At once: a year that is cut off has shown something all the same.
        console.log(
          `${run + 1} of ${RUNS} runs over ${LISTINGS} listings: ${published} published, ${refused} refused, restored from ` +
            `${JSON.stringify(restored)}, state ${stateBytes} bytes, ${(process.cpuUsage().user / 1e6).toFixed(0)} s of CPU`,
        )
        const closes = Math.ceil((run + 1) / RUNS_A_DAY)
        expect(stateBytes).toBeLessThan((STATE.each + STATE.close * closes) * LISTINGS + STATE.beside)
        expect(year.faults(0.1)).toEqual([])
      }
      year.pack()
      const { refused, restored, branchBytes } = year.tally
      console.log(`the data branch has ${branchBytes} bytes`)
      expect(year.faults(1)).toEqual([])
      expect(refused).toBeGreaterThan(0)
      expect(restored).toMatchObject({ cache: expect.any(Number), site: expect.any(Number), nothing: 1 })
      expect(branchBytes).toBeLessThan(BRANCH.each * LISTINGS * Math.max(1, (RUNS / RUNS_OF_YEAR) * 12) + BRANCH.beside)
    } finally {
      year.end()
    }
  },
  // A run takes 0.1 to 0.2 s of CPU over 24 listings, and the machine may be busy.
  24 * 3_600_000,
)
