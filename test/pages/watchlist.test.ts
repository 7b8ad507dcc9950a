import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeSince, textOf, toggled, visitIn, watchlistIn } from '../../src/pages/watchlist.ts'

const slug = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/)
const watchlist = fc.array(slug, { maxLength: 40 }).map((slugs) => new Set(slugs))

describe('a watchlist', () => {
  it('is read from the text that it is printed as', () =>
    fc.assert(fc.property(watchlist, (list) => [...watchlistIn(textOf(list))].join() === [...list].join())))

  it('is read from any text without an error', () =>
    fc.assert(fc.property(fc.string(), (text) => watchlistIn(text).size <= 100)))

  it('leaves invalid parts out', () => {
    expect([...watchlistIn('bitcoin,<b>,solana:2,,ethereum,bitcoin')]).toEqual(['bitcoin', 'ethereum'])
  })

  it('is the same after a listing was added and removed', () => {
    fc.assert(
      fc.property(watchlist, slug, (list, other) => {
        fc.pre(!list.has(other))
        expect([...(toggled(toggled(list, other) ?? new Set(), other) ?? [])]).toEqual([...list])
      }),
    )
  })

  it('takes no more than a hundred, and says so', () => {
    const full = watchlistIn(Array.from({ length: 120 }, (_, at) => `coin-${at}`).join())
    expect(full.size).toBe(100)
    expect(toggled(full, 'another')).toBeNull()
    expect(toggled(full, 'coin-0')?.size).toBe(99)
  })
})

describe('a visit', () => {
  const visit = { at: '2026-11-20T12:00:00Z', prices: { bitcoin: 50 } }

  it('is what prices have changed since', () => {
    expect(changeSince(visitIn(JSON.stringify(visit)), 'bitcoin', 55)).toBeCloseTo(10)
    expect([
      changeSince(visit, 'ethereum', 55),
      changeSince(visit, 'bitcoin', null),
      changeSince(null, 'bitcoin', 1),
      changeSince({ ...visit, prices: { bitcoin: '50' } }, 'bitcoin', 1),
    ]).toEqual([null, null, null, null])
  })

  it.each([null, '', '[]', '{"at":1}', '{"at":"2026-11-20T12:00:00Z","prices":null}', 'null', '{'])(
    'that is kept as %j was none',
    (text) => expect(visitIn(text)).toBeNull(),
  )
})
