import type { ValidationAnswer, ValidationRow } from '../client/answers.ts'
import { el, part } from './dom.ts'
import { UNKNOWN, count, money, percent, words } from './format.ts'
import { api, empty, frame, into, tokenPage } from './frame.ts'
import { type Column, table } from './tables.ts'

/** Maximum number of assets shown. */
const MOST_ROWS = 50

const bp = (value: number | null): string => (value === null ? UNKNOWN : percent(value / 100))

const assetLink = (slug: string | null): HTMLElement | string =>
  slug === null ? UNKNOWN : el('a', { href: tokenPage(slug) }, slug)

type Lie = ValidationAnswer['lies'][number]
const LIES: readonly Column<Lie>[] = [
  { name: 'One source misreports by', of: ({ lie_percent }) => percent(lie_percent) },
  { name: 'Sources', of: ({ witnesses_least }) => `${count(witnesses_least)} or more`, number: true },
  { name: 'Assets', of: ({ assets }) => count(assets), number: true },
  { name: 'Median move', of: ({ moves_bp }) => bp(moves_bp?.p50 ?? null), number: true },
  { name: '95 % below', of: ({ moves_bp }) => bp(moves_bp?.p95 ?? null), number: true },
  { name: '99 % below', of: ({ moves_bp }) => bp(moves_bp?.p99 ?? null), number: true },
  { name: 'Largest', of: ({ moves_bp }) => bp(moves_bp?.most ?? null), number: true },
]

type Aggregator = ValidationAnswer['aggregators'][number]
const AGGREGATORS: readonly Column<Aggregator>[] = [
  { name: 'Aggregator', of: ({ source_id }) => source_id },
  { name: 'Assets compared', of: ({ assets }) => count(assets), number: true },
  { name: 'Median distance', of: ({ median_bp }) => bp(median_bp), number: true },
  { name: '95 % below', of: ({ p95_bp }) => bp(p95_bp), number: true },
  { name: 'Largest', of: ({ most_bp }) => bp(most_bp), number: true },
  { name: 'At', of: ({ furthest }) => assetLink(furthest) },
]

type Method = ValidationAnswer['methods'][number]
const METHODS: readonly Column<Method>[] = [
  { name: 'Price method', of: ({ method }) => words(method) },
  { name: 'Listings', of: ({ listings }) => count(listings), number: true },
  { name: 'Volume 24 h', of: ({ volume_24h_usd }) => money(volume_24h_usd), number: true },
  { name: 'Share of volume', of: ({ volume_percent }) => percent(volume_percent), number: true },
]

const ASSETS: readonly Column<ValidationRow>[] = [
  { name: 'Asset', of: ({ slug }) => assetLink(slug) },
  { name: 'Price method', of: ({ method }) => words(method) },
  { name: 'Sources', of: ({ witnesses }) => count(witnesses), number: true },
  { name: 'Lie of 2 %', of: ({ lie_2_bp }) => bp(lie_2_bp), number: true },
  { name: 'Lie of 5 %', of: ({ lie_5_bp }) => bp(lie_5_bp), number: true },
  { name: 'Lie of 30 %', of: ({ lie_30_bp }) => bp(lie_30_bp), number: true },
  { name: 'One source left out', of: ({ left_out_bp }) => bp(left_out_bp), number: true },
  { name: 'Which', of: ({ left_out }) => left_out ?? UNKNOWN },
]

const load = (): Promise<unknown> => {
  const report = api.validation()
  const tableOf = (id: string, draw: (data: ValidationAnswer) => HTMLElement) =>
    into(part(id, HTMLElement), async () => draw((await report).data))
  return Promise.all([
    tableOf('lies', ({ lies }) => table('Price moves under a false quote', LIES, lies)),
    tableOf('aggregators', ({ aggregators }) =>
      aggregators.length === 0
        ? empty('No asset is priced by both an aggregator and venues.')
        : table('Distance of the aggregators', AGGREGATORS, aggregators),
    ),
    tableOf('methods', ({ methods }) => table('Price methods', METHODS, methods)),
    tableOf('fragile', ({ rows }) => {
      const most = rows.toSorted((a, b) => b.lie_5_bp - a.lie_5_bp).slice(0, MOST_ROWS)
      return most.length === 0 ? empty('No prices were computed in the last run.') : table('Most fragile', ASSETS, most)
    }),
  ])
}

await Promise.all([load(), frame(() => void load())])
