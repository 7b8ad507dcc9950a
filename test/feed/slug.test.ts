import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Slug } from '../../src/core/contract/words.ts'
import { freeSlug, slugOf } from '../../src/core/contract/names.ts'

const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: fc.constantFrom('a', 'B', '7', '-', ' ', 'é', 'İ', 'ß', 'ﬀ', '币', '.'), maxLength: 150 }),
)
const devices = ['con', 'prn', 'aux', 'nul', 'com1', 'lpt9']

describe('the slug of a text', () => {
  it.each([
    ['Bitcoin', 'bitcoin'],
    ['Wrapped  Bitcoin (Portal)', 'wrapped-bitcoin-portal'],
    ['Pokémon Ångström', 'pokemon-angstrom'],
    ['--a_b..c--', 'a-b-c'],
    ['比特币', ''],
    ['', ''],
    [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ])('%j is %j', (text, slug) => {
    expect(slugOf(text)).toBe(slug)
  })

  it.each(devices.flatMap((name) => [name, name.toUpperCase(), ` ${name}! `]))(
    '%j is not the name of a device',
    (text) => {
      expect(devices).not.toContain(slugOf(text))
      expect(Slug.safeParse(slugOf(text)).success).toBe(true)
    },
  )

  it('is valid or empty, whatever the text', () => {
    fc.assert(
      fc.property(words, (text) => {
        const slug = slugOf(text)
        expect(slug === '' || Slug.safeParse(slug).success).toBe(true)
      }),
    )
  })

  it('of a slug is that slug', () => {
    fc.assert(
      fc.property(words, (text) => {
        expect(slugOf(slugOf(text))).toBe(slugOf(text))
      }),
    )
  })
})

describe('a free slug', () => {
  it.each([
    ['the first of the texts', ['Acme', 'acme-2'], [], 'acme'],
    ['the next one when that is taken', ['Acme', 'Acme Coin'], ['acme'], 'acme-coin'],
    ['the first one numbered when all are taken', ['Acme', 'Acme Coin'], ['acme', 'acme-coin'], 'acme-2'],
    ['numbered on while numbers are taken', ['Acme'], ['acme', 'acme-2', 'acme-3'], 'acme-4'],
    ['made up where no text holds a letter', ['币', '!'], [], 'asset-2'],
    ['not longer for its number', ['a'.repeat(64)], ['a'.repeat(64)], `${'a'.repeat(58)}-2`],
  ])('is %s', (_, texts, taken, slug) => {
    expect(freeSlug(texts, new Set(taken))).toBe(slug)
  })

  it('is always free and fits the contract', () => {
    const texts = fc.array(words, { maxLength: 4 })
    fc.assert(
      fc.property(texts, fc.array(words, { maxLength: 4 }), (texts, others) => {
        const taken = new Set([...texts, ...others].map(slugOf))
        const slug = freeSlug(texts, taken)
        expect(taken.has(slug)).toBe(false)
        expect(Slug.safeParse(slug).error).toBeUndefined()
      }),
    )
  })
})
