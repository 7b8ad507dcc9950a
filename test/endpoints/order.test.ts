import { expect, it } from 'vitest'
import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import { HOST_BUDGETS } from '../../src/hosting/budgets.ts'
import { randomOf } from '../../src/sources/sample/random.ts'
import { filesOf } from '../observations/bundles.ts'
import { FEW_REQUESTS, NOON, ONE_LIMITED_LIST, leanRun, newFolder } from '../sample-tree.ts'

const { endpoints: published } = ONE_LIMITED_LIST
const budget = { ...HOST_BUDGETS.cloudflare, files: 260, writes: null }

/** The public files of two runs whose endpoints are composed in this order. */
async function treeOf(endpoints: readonly Endpoint[]): Promise<ReadonlyMap<string, string>> {
  const root = newFolder()
  for (const now of [NOON, NOON + 1_800_000])
    await leanRun(root, { now, budget, history: FEW_REQUESTS, composition: { endpoints, attachments: [] } })
  return new Map([...filesOf(root)].filter(([file]) => !file.startsWith('.') && !file.startsWith('state/')))
}

it('does not depend on the order of the table of endpoints', async () => {
  const random = randomOf(7)
  const shuffled = published.map((endpoint) => ({ endpoint, at: random() })).toSorted((a, b) => a.at - b.at)
  const expected = await treeOf(published)
  expect([...expected.keys()].some((file) => file.startsWith('blocks/'))).toBe(true)
  expect(await treeOf(shuffled.map(({ endpoint }) => endpoint))).toEqual(expected)
})
