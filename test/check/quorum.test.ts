import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { agreementOf } from '../../src/contract/quorum.ts'
import { run } from '../e2e/commands.ts'
import { newFolder, sharedSampleTree } from '../sample-tree.ts'

const Prices = z.looseObject({ prices: z.record(z.string(), z.number()) })
const FILE = 'api/mkt/prices.json'

/** A publisher with the prices of the sample, changed. */
async function publisher(change: (prices: Record<string, number>) => Record<string, number>): Promise<string> {
  const list = Prices.parse(JSON.parse(readFileSync(join(await sharedSampleTree(), FILE), 'utf8')))
  const root = newFolder()
  mkdirSync(join(root, 'api/mkt'), { recursive: true })
  writeFileSync(join(root, FILE), JSON.stringify({ ...list, prices: change(list.prices) }))
  return root
}

it('npm run quorum names who deviates from the median, by how much, and exits with 3', async () => {
  const honest = await publisher((prices) => prices)
  const other = await publisher((prices) => ({ ...prices, bitcoin: (prices['bitcoin'] ?? 0) * 1.001 }))
  const liar = await publisher((prices) => ({ ...prices, ethereum: (prices['ethereum'] ?? 0) * 1.01 }))
  const { code, stdout } = await run('quorum', [honest, other, liar])
  expect(code).toBe(3)
  expect(stdout).toContain(`ethereum: ${liar} has `)
  expect(stdout).toMatch(/: 100\.0 bp\n\d+ prices compared, 1 differ by more than 20 bp/)
  expect(await run('quorum', [honest, other, liar, '--tolerance-bp', '120'])).toMatchObject({ code: 0 })
  expect(await run('quorum', [honest])).toMatchObject({ code: 2, stderr: expect.stringContaining('at least two') })
})

it('of an odd number of publishers, a minority of liars moves the median no further than the honest ones', () => {
  const price = fc.double({ min: 1, max: 2, noNaN: true })
  fc.assert(
    fc.property(fc.array(price, { minLength: 3, maxLength: 5 }), fc.array(price, { maxLength: 2 }), (honest, lies) => {
      const all = [...honest, ...lies].map(
        (value, index) => [`p${index}`, index < honest.length ? value : value * 1e6] as const,
      )
      const { median, agreed, deviating } = agreementOf(all, 20)
      expect(median).toBeGreaterThanOrEqual(Math.min(...honest))
      expect(median).toBeLessThanOrEqual(Math.max(...honest))
      expect(agreed.length + deviating.length).toBe(all.length)
    }),
  )
})
