import * as fc from 'fast-check'
import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import { BADGES } from '../../src/contract/site-files.ts'
import { badgeOf } from '../../src/pages/badges.ts'
import { assetOf } from '../feed/world.ts'

describe('a badge', () => {
  it('shows symbol, price and change, and tells them with their time', () => {
    const badge = badgeOf(
      assetOf('bitcoin', {
        name: 'Bitcoin',
        symbol: 'BTC',
        price_usd: 62_397.18,
        percent_change_24h: -1.84,
        last_updated: '2026-11-20T12:00:00Z',
      }),
      'public preview',
    )
    expect(badge).toContain('>BTC</text>')
    expect(badge).toContain('>$62,397.18 \u22121.84\u202f%</text>')
    expect(badge).toContain('<title>Bitcoin: $62,397.18 \u22121.84\u202f% as of 2026-11-20 12:00 UTC</title>')
  })

  it('says so where nothing is known, and where the data is a sample', () => {
    const unknown = assetOf('acme', { price_usd: null, percent_change_24h: null })
    expect(badgeOf(unknown, 'public preview')).toContain('>–</text>')
    expect(badgeOf(unknown, 'sample')).toContain('(sample data)')
  })

  it('of any name is one image without a script, within its budget', () =>
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 200 }),
        fc.string({ minLength: 1, maxLength: 64 }),
        fc.double({ min: 1e-14, max: 1e9, noNaN: true }),
        (name, symbol, price_usd) => {
          const text = badgeOf(assetOf('acme', { name, symbol, price_usd }), 'public preview')
          const { document } = parseHTML(text)
          expect(document.querySelectorAll('svg').length).toBe(1)
          expect(document.querySelectorAll('script, a, image, foreignObject').length).toBe(0)
          expect(document.querySelectorAll('text').length).toBe(2)
          expect(Buffer.byteLength(text)).toBeLessThan(BADGES.bytes)
        },
      ),
    ))
})
