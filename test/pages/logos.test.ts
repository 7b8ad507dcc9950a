import * as fc from 'fast-check'
import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import logos from '../../src/core/registry/logos.json' with { type: 'json' }
import { safeSvg } from '../../src/core/registry/safe-svg.ts'

const svg = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${content}</svg>`

describe('a drawing', () => {
  it('of every logo only draws', () =>
    expect(Object.entries(logos).filter(([, text]) => safeSvg(text) !== text)).toEqual([]))

  it('keeps references within itself, in one line and without a class', () =>
    expect(
      safeSvg(
        svg('\n  <defs><linearGradient id="a"/></defs>\n  <path class="web3icons" fill="url(#a)" d="M0 0h24v24z"/>\n'),
      ),
    ).toBe(svg('<defs><linearGradient id="a"/></defs><path fill="url(#a)" d="M0 0h24v24z"/>')))

  it.each([
    svg('<script>alert(1)</script>'),
    svg('<path onload="alert(1)" d="M0 0"/>'),
    svg('<path d="M0 0" onclick="x"/>'),
    svg('<image href="https://example.com/x.png"/>'),
    svg('<use href="https://example.com/x.svg#a"/>'),
    svg('<a href="javascript:alert(1)"><path d="M0 0"/></a>'),
    svg('<path fill="url(https://example.com/x)" d="M0 0"/>'),
    svg('<path fill="u\\72l(//example.com)" d="M0 0"/>'),
    svg('<path style="background:url(//example.com)" d="M0 0"/>'),
    svg('<style>@import "//example.com"</style>'),
    svg('<foreignObject><p>x</p></foreignObject>'),
    svg('<animate attributeName="href" to="javascript:alert(1)"/>'),
    svg('<!-- x -->'),
    svg('text'),
    svg('<path d="M0 0">'),
    `<!DOCTYPE svg [<!ENTITY x "y">]>${svg('')}`,
    `${svg('')}${svg('')}`,
    `<?xml version="1.0"?>${svg('')}`,
    '<path d="M0 0"/>',
    'x',
    '',
  ])('that does more is refused: %s', (text) => expect(safeSvg(text)).toBeNull())

  it('that passes has no other elements or attributes, whatever it was made of', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '<path ',
            'd="M0 0"',
            ' fill="red"',
            '/>',
            '>',
            '</path>',
            '<script>',
            ' onload="x"',
            '<g>',
            '</g>',
            '<',
            '"',
            ' href="x"',
          ),
          { maxLength: 12 },
        ),
        (parts) => {
          const passed = safeSvg(svg(parts.join('')))
          if (passed === null) return
          const { document } = parseHTML(passed)
          const names = [...document.querySelectorAll('*')].map(({ localName }) => localName)
          expect(names.filter((name) => !['svg', 'g', 'path'].includes(name))).toEqual([])
          expect(passed).not.toMatch(/onload|href|script/)
        },
      ),
    ))
})
