import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { MarketsRow } from '../../src/core/contract/asset.ts'
import { cell, csv } from '../../src/core/contract/csv.ts'
import { nextVersion } from '../../src/core/history/token-list.ts'
import { checksummed } from '../../src/core/registry/checksum.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import { SAMPLE_SPELLINGS } from '../../src/core/sources/sample/sample.ts'
import { NOON, NO_REQUESTS, newFolder, sampleRun, copySampleTree } from '../sample-tree.ts'

const root = newFolder()
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const List = z.object({ rows: z.array(MarketsRow) })

beforeAll(async () => {
  await copySampleTree(root)
})

/** Cells of RFC 4180, read by its grammar. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

it('leads from an alias of the registry to its listing', () => {
  expect(JSON.parse(read('renamed/tnk.json'))).toEqual({ slug: 'tnk', replaced_by: 'trac-network' })
})

describe('a table', () => {
  it('has the rows of the list, in its order', () => {
    const [header = [], ...rows] = cellsOf(read('api/mkt/markets.csv'))
    const { rows: wanted } = List.parse(JSON.parse(read('api/mkt/markets.json')))
    expect(header).toEqual(Object.keys(MarketsRow.shape).filter((name) => name !== 'sparkline_7d'))
    expect(rows).toHaveLength(wanted.length)
    for (const name of ['slug', 'symbol', 'price_usd', 'market_cap_usd', 'max_supply', 'last_updated'] as const)
      expect(rows.map((row) => row[header.indexOf(name)])).toEqual(
        wanted.map((row) => (row[name] === null ? '' : cell(row[name]))),
      )
  })

  it('leaves unknown values empty, and prints numbers without an exponent', () =>
    expect([null, undefined, 9e-8, -0.5, true, '', 1e21].map(cell)).toEqual([
      '',
      '',
      '0.00000009',
      '-0.5',
      'true',
      '',
      '1000000000000000000000',
    ]))

  it.each(['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\t=1', '\n=1', '＝1+1'])('holds no formula: %s', (text) =>
    expect(cellsOf(`${cell(text)}\r\n`)).toEqual([[`'${text}`]]),
  )

  it('holds no formula behind what divides cells in other countries', () =>
    expect(['a;=1', 'a|@b', 'a;b', 'a-b'].map(cell)).toEqual(["a;'=1", "a|'@b", 'a;b', 'a-b']))

  it('names lists and records in one cell', () =>
    expect([
      cell(['stable coin', 'defi']),
      cell([{ chain: 'ethereum', address: '0xab' }]),
      cell({ price_usd: '2026-11-20T12:00:00Z' }),
    ]).toEqual(['stable_coin defi', 'ethereum:0xab', 'price_usd=2026-11-20T12:00:00Z']))

  it('gives every text back', () =>
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (texts) => {
        const formula = /(^|[;|])(?=[=+\-@\t\r\n＝＋－＠])/g
        const isNumber = (text: string) => /^[+-]?\d+(?:\.\d+)?$/.test(text)
        const guarded = texts.map((text) => (isNumber(text) ? text : text.replaceAll(formula, "$1'")))
        const rows = texts.map((text) => ({ text, more: 1 }))
        expect(cellsOf(csv(['text', 'more'], rows)).slice(1)).toEqual(guarded.map((text) => [text, '1']))
      }),
    ))
})

it('NDJSON has the rows of the list, one a line', () => {
  const { rows } = List.parse(JSON.parse(read('api/mkt/markets.json')))
  const lines = read('api/mkt/markets.ndjson').trimEnd().split('\n')
  expect(lines.map((text): unknown => JSON.parse(text))).toEqual(rows)
})

describe('the token list', () => {
  const Tokens = z.object({
    timestamp: z.string(),
    version: z.object({ major: z.int(), minor: z.int(), patch: z.int() }),
    tokens: z.array(z.object({ chainId: z.int(), address: z.string(), logoURI: z.string().optional() })),
  })
  const tokens = () => Tokens.parse(JSON.parse(read('tokenlist.json')))

  it('has logos that a wallet can load: where the site has an address', async () => {
    expect(tokens().tokens.filter(({ logoURI }) => logoURI !== undefined)).toEqual([])
    const own = newFolder()
    const registry = openRegistry({ spelledAs: SAMPLE_SPELLINGS, site: 'https://quotes.example/' })
    await sampleRun(own, { registry, history: NO_REQUESTS })
    const list = Tokens.parse(JSON.parse(readFileSync(join(own, 'tokenlist.json'), 'utf8')))
    expect(list.tokens.map(({ logoURI }) => logoURI)).toContain('https://quotes.example/logos/tether.svg')
    expect(read('api/mkt/assets/tether.json')).toContain('"logo_url":"/logos/tether.svg"')
  })

  it('keeps the schema of token lists', () => {
    const schema: unknown = createRequire(import.meta.url)('@uniswap/token-lists/src/tokenlist.schema.json')
    const ajv = new Ajv({ allErrors: true })
    addFormats.default(ajv)
    const validate = ajv.compile(z.record(z.string(), z.unknown()).parse(schema))
    validate(JSON.parse(read('tokenlist.json')))
    expect(validate.errors).toBeNull()
    expect(tokens().tokens.length).toBeGreaterThan(5)
  })

  it.each([
    // Vectors of EIP-55.
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('writes addresses with their checksum: %s', (address) => expect(checksummed(address.toLowerCase())).toBe(address))

  it('stays as it is while its tokens do', async () => {
    const before = read('tokenlist.json')
    await sampleRun(root, { now: NOON + 3_600_000, history: NO_REQUESTS })
    expect(read('tokenlist.json')).toBe(before)
  })

  const token = (address: string, name = 'A') => ({ chainId: 1, address, name, symbol: 'A', decimals: 18 })
  const last = { major: 1, minor: 2, patch: 3 }
  it.each([
    ['nothing changed', [token('0xa')], '1.2.3'],
    ['another name', [token('0xa', 'B')], '1.2.4'],
    ['one more', [token('0xa'), token('0xb')], '1.3.0'],
    ['one gone', [], '2.0.0'],
    ['one in place of another', [token('0xb')], '2.0.0'],
  ])('counts its versions by what changed: %s', (_, now, version) =>
    expect(Object.values(nextVersion(last, [token('0xa')], now)).join('.')).toBe(version),
  )
})
