import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { skeleton } from '../../src/requests/duplicates.ts'

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
