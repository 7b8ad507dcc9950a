import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { visible, visibleLines, visibleText } from '../../src/core/contract/visible.ts'

// Of every plane, and often of the first page, where the controls are.
const anyText = fc
  .array(fc.oneof(fc.nat({ max: 0xff }), fc.nat({ max: 0x10_ffff })))
  .map((codes) => String.fromCodePoint(...codes))
const ACTS_OR_HIDES = /[\p{C}\p{Zl}\p{Zp}]/u

describe('a text from outside, as a terminal gets it,', () => {
  it.each([
    ['clears no screen', '\u001b[2J\u001b[H', String.raw`\u001b[2J\u001b[H`],
    ['writes no clipboard', '\u001b]52;c;ZXZpbA==\u0007', String.raw`\u001b]52;c;ZXZpbA==\u0007`],
    ['brings no 8-bit control sequence', '\u009b2J', String.raw`\u009b2J`],
    ['overwrites no line', 'bad\rgood', String.raw`bad\rgood`],
    ['begins no line', 'a\nb is approved', String.raw`a\nb is approved`],
    ['turns no text around', 'a\u202eb', String.raw`a\u202eb`],
    ['hides nothing', 'Bit\u3164coin\u{e0041}', String.raw`Bit\u3164coin\udb40\udc41`],
    ['holds no half character', '\ud800', String.raw`\ud800`],
    ['gives the runner of a workflow no command', '::add-mask::a', String.raw`\u003a:add-mask::a`],
    ['nor one of the old form', 'x ##[error]a', String.raw`x \u0023#[error]a`],
    ['names no password', 'https://me:secret@feed.example/x', 'https://***@feed.example/x'],
    ['keeps what people write', '₿ Größe 币安 😀 ±1.2 %', '₿ Größe 币安 😀 ±1.2 %'],
  ])('%s', (_, text, shown) => expect(visible(text)).toBe(shown))

  it('holds nothing that a terminal acts on, in one line, and shown twice is shown alike', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = visible(text)
        expect(shown).not.toMatch(ACTS_OR_HIDES)
        expect(visible(shown)).toBe(shown)
      }),
    )
  })

  it('is equal as JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.oneof(anyText, fc.jsonValue())), (value) => {
        const parsed: unknown = JSON.parse(visibleText(JSON.stringify(value, null, 2)))
        expect(parsed).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

it('keeps as many lines as there are', () => {
  expect(visibleText('a\nb\u001b')).toBe(`a\nb${String.raw`\u001b`}`)
  expect(visibleLines(['a\nb', 'c'])).toBe(`${String.raw`a\nb`}\nc`)
})
