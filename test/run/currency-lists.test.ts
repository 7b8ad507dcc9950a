import { expect, it } from 'vitest'
import { CURRENCY_LISTS, currencyLists } from '../../src/core/run/currency-lists.ts'
import type { ReportedCurrency, Source } from '../../src/core/sources/source.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { sourceOf } from '../feed/world.ts'
import { newFolder } from '../sample-tree.ts'
import { replies } from '../sources/replies.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 10, 20, 12)
const ACME: ReportedCurrency = { symbol: 'ACME', name: 'Acme', contracts: [] }

/** A venue that counts how often its list is asked for, and fails on demand. */
function venue() {
  const state = { asked: 0, fails: false }
  const source: Source = {
    ...sourceOf('kucoin'),
    currencies: async () => {
      state.asked++
      if (state.fails) throw new SourceError('source_unreachable', 'kucoin: refused')
      return [ACME]
    },
  }
  const root = newFolder()
  const run = (now: number, able: readonly Source[] = [source]) =>
    currencyLists(root, { known: new Map(), sources: [source], able, connect: () => replies({}), now })
  return { state, run }
}

it('asks once a day and keeps the list meanwhile', async () => {
  const { state, run } = venue()
  await run(NOON)
  const { lists, requested } = await run(NOON + (CURRENCY_LISTS.refresh_hours - 1) * HOUR)
  expect(requested.size).toBe(0)
  expect(state.asked).toBe(1)
  expect(lists.get('kucoin')?.get('ACME')).toEqual(ACME)
  await run(NOON + CURRENCY_LISTS.refresh_hours * HOUR)
  expect(state.asked).toBe(2)
})

it('uses the last list if the venue fails, and retries some hours later', async () => {
  const { state, run } = venue()
  await run(NOON)
  state.fails = true
  const late = NOON + 30 * HOUR
  const { lists } = await run(late)
  expect(lists.get('kucoin')?.size).toBe(1)
  await run(late + HOUR)
  expect(state.asked).toBe(2)
  await run(late + CURRENCY_LISTS.retry_hours * HOUR)
  expect(state.asked).toBe(3)
})

it('keeps the list of a venue that is not asked in this run', async () => {
  const { state, run } = venue()
  await run(NOON)
  const { lists } = await run(NOON + 48 * HOUR, [])
  expect(lists.get('kucoin')?.size).toBe(1)
  expect(state.asked).toBe(1)
})
