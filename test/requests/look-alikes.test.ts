import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lookAlikes, openDuplicate, skeleton } from '../../src/requests/look-alikes.ts'
import { recordOf } from '../service/world.ts'

describe('the skeleton of a name', () => {
  it.each([
    ['Bitcoin', 'bitcoin'],
    ['BIT COIN', 'bitcoin'],
    ['Bítcöin', 'bitcoin'],
    ['Віtсоin', 'bitcoin'],
    ['B1tc0in', 'bitcoin'],
    ['Bit\u3164coin', 'bitcoin'],
    ['\u0412\u0131tc\u043e\u0456n', 'bitcoin'],
    ['Bitc\u0585i\u0578', 'bitcoin'],
    ['BlTCOlN', 'bitcoin'],
    ['\u{1d401}itcoin', 'bitcoin'],
    ['Bit\u00adco\u200bin\ufe0f', 'bitcoin'],
    ['S0Iana', 'soiana'],
    ['Rnonero', 'monero'],
    ['\u3164', ''],
    ['Ｂｉｔｃｏｉｎ', 'bitcoin'],
    ['币', '币'],
    ['!?', ''],
  ])('of "%s" is "%s"', (text, bones) => expect(skeleton(text)).toBe(bones))
})

it('is the same for a name and for its skeleton', () => {
  const letter = fc.constantFrom(
    'a',
    'I',
    'l',
    '1',
    '|',
    'r',
    'n',
    'v',
    '\u0131',
    '\u0456',
    '\u0412',
    '\u3164',
    '\u0585',
    'm',
    '\u00e9',
    '\u5e01',
  )
  fc.assert(
    fc.property(fc.string({ unit: letter }), (name) => {
      expect(skeleton(skeleton(name))).toBe(skeleton(name))
      expect(skeleton(name.toUpperCase())).toBe(skeleton(name.toUpperCase().toLowerCase()))
    }),
  )
})

describe('a warning of a verified listing', () => {
  const bitcoin = { slug: 'bitcoin', symbol: 'BTC', name: 'Bitcoin' }
  const body = { request_type: 'new', name: 'New', symbol: 'NEW' } as const
  it.each([
    ['names the name', { ...body, name: 'bitcoin.' }, /name/],
    ['names the symbol', { ...body, symbol: 'btc' }, /symbol/],
  ])('%s', (_, asked, text) => expect(lookAlikes(asked, [bitcoin])).toEqual([expect.stringMatching(text)]))
  it.each([
    ['for another asset', body],
    ['for a change of a listing, which is like itself', { ...body, request_type: 'update', name: 'Bitcoin' } as const],
    ['for a name without letters, which is like every such', { ...body, name: '!!' }],
  ])('is not given %s', (_, asked) =>
    expect(lookAlikes(asked, [bitcoin, { slug: 'x', symbol: 'X', name: '??' }])).toEqual([]),
  )
})

describe('a duplicate', () => {
  const old = { ...recordOf('request-1', 'Coin'), submitted_at: '2026-11-19T12:00:00Z' }
  const body = { request_type: 'new', name: 'coin', symbol: 'a' } as const
  it('is the oldest open request for the same asset', () =>
    expect(openDuplicate(body, [recordOf('request-2', 'Coin'), old])).toBe(old))
  it.each([
    ['a closed one', { ...old, status: 'rejected' } as const],
    ['one of another type', { ...old, body: { ...old.body, request_type: 'delist' } } as const],
    ['one of another symbol', { ...old, body: { ...old.body, symbol: 'B' } }],
  ])('is not %s', (_, record) => expect(openDuplicate(body, [record])).toBeNull())
})
