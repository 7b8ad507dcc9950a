import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { READERS, type Reader, expected } from './handed-in.ts'
import { mutated } from './mutators.ts'
import { scaled } from '../scale.ts'

/** With FUZZ_SECONDS, each reader gets cases for so long; FUZZ_SEED is the first of them. */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0)
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const CASES = Number(process.env['FUZZ_CASES'] ?? 0)
const SLOW_MS = 5000
/** Characters of the longest text: with FUZZ_SECONDS a pattern of quadratic time would take minutes. */
const MOST = SECONDS > 0 ? 2 ** 20 : 2 ** 16

/** Cases of readers that take longer than a few milliseconds each. */
const COSTLY: Readonly<Record<string, number>> = {
  'the text of a bundle': 50,
  'documents that the client reads': 80,
  'tables that are restored': 30,
  'rows that a run extends': 15,
  settings: 40,
}

describe.each(Object.entries(READERS))('%s', (name, open) => {
  let reader: Reader
  beforeAll(async () => {
    reader = await open()
  })
  afterAll(() => reader.close?.())

  const timeout = SECONDS * 1000 + 600_000
  it('after any change is read, or refused in one sentence', { timeout }, async () => {
    const most = CASES || Math.ceil((COSTLY[name] ?? 200) * scaled(0.4, 1))
    const end = Date.now() + SECONDS * 1000
    const findings = new Map<string, string>()
    let seed = SEED
    for (; SECONDS > 0 ? Date.now() < end : seed < SEED + most; seed++) {
      const { bytes, sample, by } = mutated(reader.samples, seed, MOST)
      const begin = Date.now()
      try {
        await reader.use(bytes, sample)
      } catch (error) {
        try {
          expected(error)
        } catch (fault) {
          const stack = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
          const key = stack.split('\n').filter((line) => line.includes('/src/'))[0] ?? stack.slice(0, 100)
          if (!findings.has(key)) findings.set(key, `seed ${seed}, sample ${sample}, ${by}: ${stack.slice(0, 1500)}`)
        }
      }
      if (SECONDS > 0 && Date.now() - begin > SLOW_MS)
        console.log(`${name}: seed ${seed} (${by}) took ${Date.now() - begin} ms`)
    }
    if (SECONDS > 0)
      console.log(`${name}: ${seed - SEED} cases, peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`)
    expect([...findings.values()]).toEqual([])
  })
})
