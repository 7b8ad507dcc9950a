import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bundleOf, documentIn, filesIn, folderOfBundle, printBundle, shardOf } from '../../src/contract/bundles.ts'
import { print } from '../../src/contract/text.ts'

const text = fc.oneof(fc.string(), fc.constantFrom('":\n', '\n,\n"', '"api/mkt/assets/a.json":\n', '}\n'))
const answer = fc.record({ ok: fc.boolean(), note: text, rows: fc.array(fc.record({ id: text }), { maxLength: 3 }) })
const slug = fc.stringMatching(/^[a-z0-9]{1,8}$/)
const documents = fc
  .uniqueArray(fc.tuple(slug, answer), { selector: ([name]) => name, maxLength: 6 })
  .map((entries) => entries.map(([name, body]) => [`api/mkt/assets/${name}.json`, print(body)] as const))

describe('a bundle', () => {
  it('holds each document byte for byte, whatever its text looks like', () => {
    fc.assert(
      fc.property(documents, (documents) => {
        const bundle = printBundle(documents)
        expect(filesIn(bundle)).toEqual(documents.map(([file]) => file))
        for (const [file, text] of documents) expect(documentIn(bundle, file)).toBe(text)
        expect(documentIn(bundle, 'api/mkt/assets/no-such.json')).toBe(null)
      }),
    )
  })

  it('is one JSON object of documents by file name', () => {
    fc.assert(
      fc.property(documents, (documents) => {
        const expected = Object.fromEntries(documents.map(([file, text]) => [file, JSON.parse(text)]))
        expect(JSON.parse(printBundle(documents))).toEqual(expected)
      }),
    )
  })
})

describe('the bundle of a file', () => {
  const layout = { ownFiles: 10, bundles: [{ folder: 'history', shards: 16 } as const] }

  it.each([
    ['api/mkt/history/bitcoin/days=7.json', `bundles/history/${shardOf('bitcoin', 16)}.json`],
    ['api/mkt/history/bitcoin/days=365.json', `bundles/history/${shardOf('bitcoin', 16)}.json`],
    ['api/mkt/assets/bitcoin.json', null],
    ['api/mkt/assets/limit=10.json', null],
    ['api/mkt/history.json', null],
  ])('of %s is %s', (file, bundle) => {
    expect(bundleOf(layout, file)).toBe(bundle)
    expect(bundleOf(null, file)).toBe(null)
  })

  // http://www.isthe.com/chongo/tech/comp/fnv/: 32-bit FNV-1a of "foobar" is 0xbf9cf968.
  it('is told by the FNV-1a hash of the name', () => {
    expect(shardOf('foobar', 2 ** 32)).toBe(0xbf9cf968)
    expect(shardOf('', 2 ** 32)).toBe(0x811c9dc5)
  })

  it('is known by its folder', () => {
    expect(['bundles/history/3.json', 'bundles/other/3.json', 'api/mkt.json'].map(folderOfBundle)).toEqual([
      'history',
      null,
      null,
    ])
  })
})
