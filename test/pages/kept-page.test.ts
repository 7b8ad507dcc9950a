import { expect, it } from 'vitest'
import { TOKEN_PAGES } from '../../src/contract/site-files.ts'
import { isoOf } from '../../src/contract/time.ts'
import { keptPage, marked } from '../../src/pages/kept-page.ts'

const START = Date.parse('2026-06-01T00:10:00Z')
const HALF_HOUR = 1_800_000
const page = (at: number, price: number) =>
  marked(`<head><meta name="figures" content="${isoOf(at)}"/></head>$${price}`, 'name')
const keptAt = (last: string | null, at: number, { slug = 'bitcoin', lasting = 'name' } = {}) =>
  keptPage(last, { slug, lasting, at: isoOf(at) })
const RUNS = TOKEN_PAGES.hours * 2

it('stays for less than its hours, and takes over new figures once in them', () => {
  let last = page(START, 1)
  const taken: number[] = []
  for (let run = 1; run <= 4 * RUNS; run++) {
    const at = START + run * HALF_HOUR
    const kept = keptAt(last, at)
    if (kept !== null) expect(kept).toBe(last)
    else {
      last = page(at, run)
      taken.push(run)
    }
  }
  expect(taken).toHaveLength(4)
  expect(taken.map((run, index) => run - (taken[0] ?? 0) - index * RUNS)).toEqual([0, 0, 0, 0])
})

it('is composed again at another time than most others', () => {
  const at = START + HALF_HOUR
  const slugs = Array.from({ length: 120 }, (_, index) => `coin-${index}`)
  const due = slugs.filter((slug) => keptAt(page(START, 1), at, { slug }) === null)
  expect(due.length).toBeGreaterThan(0)
  expect(due.length).toBeLessThan(30)
})

it.each([
  ['it is missing', null, {}],
  ['it was published by an earlier version', '<head></head>$1', {}],
  ['it was edited', page(START, 1).replace('$1', '$2'), {}],
  ['its time was edited', page(START, 1).replace('00:10:00', '00:10:01'), {}],
  ['it shows something else besides figures', page(START, 1), { lasting: 'other name' }],
])('is composed again where %s', (_, last, other) => {
  expect(keptAt(page(START, 1), START)).not.toBe(null)
  expect(keptAt(last, START, other)).toBe(null)
})

it('is composed again where the clock was set back', () => {
  expect(keptAt(page(START, 1), START - 1000)).toBe(null)
})
