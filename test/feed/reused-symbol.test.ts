import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sighting } from '../../src/core/sources/source.ts'
import { QUOTED_IN, stormOf } from './storm.ts'

const CALM_RUNS = 2
const [OLD, NEW] = ['coin-10', 'coin-10-2']

/** When, in runs after the calm ones, each kind of source gives the symbol of one coin to a new one. */
interface Reuse {
  /** What the new coin costs, over the price of the old one. */
  readonly factor: number
  readonly venuesAt: number
  readonly listAt: number
  readonly indexAt: number
  /** Whether the venues go on to trade the old coin under its new symbol. */
  readonly oldTrades: boolean
  /** How many venues trade the symbol. */
  readonly venues: number
}

/** Plays the reuse of a symbol until it is over for `after` runs, and hands each run to `look`. */
function play(reuse: Reuse, after: number, look: (run: ReturnType<ReturnType<typeof stormOf>['run']>) => void) {
  const storm = stormOf({ coins: stormOf().coins.slice(0, 12) })
  const old = storm.coins.find(({ id }) => id === OLD)
  if (!old) throw new Error('no such coin')
  const venues = Object.keys(QUOTED_IN).slice(0, reuse.venues)
  old.venues = venues
  storm.coins.push({ ...old, id: NEW, price: old.price * reuse.factor, venues: [], supply: 5, contracts: [] })
  const fresh = storm.coins.find(({ id }) => id === NEW)
  const named = (isOver: boolean) => ({
    sighting: (row: Sighting): Sighting | null =>
      row.id === NEW
        ? isOver
          ? { ...row, symbol: 'C10', name: OLD }
          : null
        : row.id === OLD && isOver
          ? { ...row, symbol: 'C10C', name: `${OLD} classic` }
          : row.id === OLD
            ? { ...row, symbol: 'C10', name: OLD }
            : row,
  })
  const last = Math.max(reuse.venuesAt, reuse.listAt, reuse.indexAt) + after
  for (let run = -CALM_RUNS; run <= last; run++) {
    if (run === reuse.venuesAt && fresh) {
      Object.assign(old, { symbol: 'C10C', venues: reuse.oldTrades ? venues : [] })
      Object.assign(fresh, { symbol: 'C10', venues })
    }
    look(storm.run({ lies: { list: named(run >= reuse.listAt), index: named(run >= reuse.indexAt) } }))
  }
  return storm
}

const calm: Reuse = { factor: 20, venuesAt: 0, listAt: 0, indexAt: 0, oldTrades: false, venues: 6 }

describe('a symbol that is given to a new coin', () => {
  it('moves to it with its markets in the run that sees the change', () => {
    const storm = play(calm, 0, ({ refused }) => expect(refused).toEqual([]))
    const { listings } = storm.previous()
    expect(listings.get(OLD)).toMatchObject({ asset: { symbol: 'C10C' }, markets: [] })
    expect(listings.get(NEW)).toMatchObject({ asset: { symbol: 'C10' } })
    expect(listings.get(NEW)?.markets).toHaveLength(10)
    expect(storm.run().mostOff).toBeLessThan(0.01)
  })

  const orders = fc.record({ venuesAt: fc.nat(3), listAt: fc.nat(3), indexAt: fc.nat(3) })
  it('is never priced with confidence where it is wrong, and right two runs after the last change', () => {
    fc.assert(
      fc.property(
        orders,
        fc.constantFrom(0.05, 5, 20),
        fc.boolean(),
        fc.constantFrom(2, 3, 6),
        (order, factor, oldTrades, venues) => {
          const wrong: string[] = []
          let end: (string | number)[] = []
          play({ ...order, factor, oldTrades, venues }, 2, ({ refused, asset, off }) => {
            wrong.push(...refused)
            end = []
            for (const id of [OLD, NEW]) {
              const { price_usd = null, price_confidence = null, price_basis } = asset(id) ?? {}
              if (price_usd === null) continue
              if (off(id) > 0.02 && (price_confidence ?? 1) > 0.3)
                wrong.push(`${id} ${price_usd} ${price_confidence} ${price_basis?.low_confidence_reason}`)
              end.push(id, off(id) > 0.01 ? price_usd : 'right')
            }
          })
          expect(wrong).toEqual([])
          expect(end).toEqual([OLD, 'right', NEW, 'right'])
        },
      ),
      { numRuns: 8 },
    )
  })
})
