import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BlockLayout,
  blockOf,
  documentIn,
  filesIn,
  folderOfBlock,
  printBlock,
  shardOf,
} from '../../src/contract/blocks.ts'
import { print } from '../../src/contract/text.ts'

const text = fc.oneof(fc.string(), fc.constantFrom('":\n', '\n,\n"', '"api/mkt/assets/a.json":\n', '}\n'))
const answer = fc.record({ ok: fc.boolean(), note: text, rows: fc.array(fc.record({ id: text }), { maxLength: 3 }) })
const slug = fc.stringMatching(/^[a-z0-9]{1,8}$/)
const documents = fc
  .uniqueArray(fc.tuple(slug, answer), { selector: ([name]) => name, maxLength: 6 })
  .map((entries) => entries.map(([name, body]) => [`api/mkt/assets/${name}.json`, print(body)] as const))

describe('a block', () => {
  it('holds each document byte for byte, whatever its text', () => {
    fc.assert(
      fc.property(documents, (documents) => {
        const block = printBlock(documents)
        expect(filesIn(block)).toEqual(documents.map(([file]) => file))
        for (const [file, text] of documents) expect(documentIn(block, file)).toBe(text)
        expect(documentIn(block, 'api/mkt/assets/no-such.json')).toBe(null)
      }),
    )
  })

  it('is one JSON object of documents by file name', () => {
    fc.assert(
      fc.property(documents, (documents) => {
        const expected = Object.fromEntries(documents.map(([file, text]) => [file, JSON.parse(text)]))
        expect(JSON.parse(printBlock(documents))).toEqual(expected)
      }),
    )
  })
})

describe('the block of a file', () => {
  const layout: BlockLayout = {
    pages: true,
    blocks: [
      { folder: 'history', shards: 16 },
      { folder: 'symbols', shards: 1 },
      { folder: 'markets', shards: 1 },
    ],
  }

  it.each([
    ['api/mkt/history/bitcoin/days=7.json', `blocks/history/${shardOf('bitcoin', 16)}.json`],
    ['api/mkt/history/bitcoin/days=365.json', `blocks/history/${shardOf('bitcoin', 16)}.json`],
    ['api/mkt/assets/bitcoin.json', null],
    ['api/mkt/assets/limit=10.json', null],
    ['api/mkt/history.json', null],
    ['v1/symbols/USDC.json', 'blocks/symbols/0.json'],
    ['api/mkt/assets/bitcoin/markets.json', 'blocks/markets/0.json'],
    ['api/mkt/markets.json', null],
    ['api/mkt/closes/2026-11-20.json', null],
  ])('of %s is %s', (file, block) => {
    expect(blockOf(layout, file)).toBe(block)
    expect(blockOf(null, file)).toBe(null)
  })

  it('of markets is that of their assets where the layout has none of markets', () => {
    const before: BlockLayout = { pages: true, blocks: [{ folder: 'assets', shards: 1 }] }
    expect(blockOf(before, 'api/mkt/assets/bitcoin/markets.json')).toBe('blocks/assets/0.json')
  })

  // http://www.isthe.com/chongo/tech/comp/fnv/: 32-bit FNV-1a of "foobar" is 0xbf9cf968.
  it('is told by the FNV-1a hash of the name', () => {
    expect(shardOf('foobar', 2 ** 32)).toBe(0xbf9cf968)
    expect(shardOf('', 2 ** 32)).toBe(0x811c9dc5)
  })

  it('is known by its folder', () => {
    expect(['blocks/history/3.json', 'blocks/other/3.json', 'api/mkt.json'].map(folderOfBlock)).toEqual([
      'history',
      null,
      null,
    ])
  })
})
