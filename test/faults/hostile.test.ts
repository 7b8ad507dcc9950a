import * as fc from 'fast-check'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { errorsIn } from '../check/findings.ts'
import { Slug, UNPRINTABLE } from '../../src/core/contract/words.ts'
import { slugOf } from '../../src/core/contract/names.ts'
import { coingecko } from '../../src/core/sources/coingecko.ts'
import { geckoterminal } from '../../src/core/sources/geckoterminal.ts'
import { kraken } from '../../src/core/sources/kraken.ts'
import type { Source } from '../../src/core/sources/source.ts'
import { scaled } from '../scale.ts'
import { replies } from '../sources/replies.ts'
import { NOON, newFolder, sampleRun } from '../sample-tree.ts'

/** Rows of each run, and runs: ten thousand rows in all where there is time. */
const ROWS = 500
const RUNS = scaled(3, 20)

/** Texts that people have broken publishers with: paths, markup, links, controls, devices, twins, what is no Unicode. */
const nasty = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 200, maxLength: 3000 }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '../../../../etc/passwd',
      '..\\..\\windows',
      '/etc/passwd',
      '.',
      '..',
      '.htaccess',
      'con',
      'NUL',
      'com1',
      'a\u0000b',
      'a\nb: c',
      'a\r\nSet-Cookie: x=1',
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      'javascript:alert(1)',
      '\u202egnp.exe',
      '\ud800',
      'Bitcoin',
      'BITCOIN',
      'bitcoin',
      'Bіtcoin',
      'ﬁ',
      'é',
      'é',
      '=HYPERLINK("http://evil.example")',
      '__proto__',
      'constructor',
      'limit=10',
      'markets',
      '%2e%2e%2f',
      '\u2028',
    ),
  },
)
const link = fc.oneof(
  fc.webUrl(),
  fc.constantFrom(
    'javascript:alert(1)',
    'http://plain.example',
    'https://a.example/"onload="x',
    'data:text/html,x',
    '//x',
  ),
)
const odd = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: 1e-9, max: 1e12, noNaN: true }) },
  fc.double(),
  fc.constantFrom(-1, 0, 1e308, 1e-308, NaN, Infinity, '1e5', '', null, '12,5', true, [], {}),
)

// A source of which most rows cannot be read is not believed at all; so most texts are as they should be.
const idOf = fc.oneof({ weight: 1, arbitrary: nasty }, { weight: 3, arbitrary: fc.stringMatching(/^[a-z]{4,9}$/) })

const geckoRow = fc.record(
  {
    id: idOf,
    symbol: idOf,
    name: idOf,
    image: link,
    current_price: odd,
    market_cap: odd,
    market_cap_rank: odd,
    total_volume: odd,
    circulating_supply: odd,
    ath: odd,
    ath_date: fc.oneof(nasty, fc.constant('2021-11-10T14:00:00.500Z')),
    last_updated: fc.oneof(nasty, fc.constant(new Date(NOON).toISOString())),
  },
  { requiredKeys: ['id', 'symbol', 'name'] },
)
const krakenRow = fc.record({
  c: fc.array(odd, { maxLength: 2 }),
  v: fc.array(odd),
  a: fc.array(odd),
  b: fc.array(odd),
})
const poolRow = fc.record({
  id: nasty,
  type: fc.constant('pool'),
  attributes: fc.record({ address: nasty, name: nasty, base_token_price_usd: odd, reserve_in_usd: odd }),
  relationships: fc.constant({
    base_token: { data: { id: 'eth_0xa' } },
    quote_token: { data: { id: 'eth_0xb' } },
    dex: { data: { id: 'uniswap' } },
  }),
})

const PAGE =
  '/api/v3/coins/markets?vs_currency=usd&order=market_cap_desc&per_page=250&page=1&price_change_percentage=1h,24h,7d&include_rehypothecated=true'
const POOLS = '/api/v2/networks/eth/tokens/0x249130f5e2dd4cf278180c0df8273f3592ad1247/pools?page=1'

/** A source that is told these bodies, whatever it asks for. */
const told = (source: Source, bodies: Readonly<Record<string, unknown>>): Source => {
  const { candles: _, ...rest } = source
  return { ...rest, observe: (__, wants) => source.observe(replies(bodies), { ...wants, profiles: () => [] }) }
}

it(`makes a valid tree of ${ROWS * RUNS} hostile rows, and nothing outside it`, async () => {
  const outside = newFolder()
  const root = join(outside, 'tree')
  const rows = fc.sample(geckoRow, { numRuns: ROWS * RUNS, seed: 20261120 })
  const tickers = fc.sample(fc.tuple(nasty, krakenRow), { numRuns: ROWS, seed: 1 })
  const pools = fc.sample(poolRow, { numRuns: ROWS, seed: 2 })
  for (let run = 0; run < RUNS; run++) {
    const own = rows.slice(run * ROWS, (run + 1) * ROWS)
    const sources = [
      told(coingecko({}), { [PAGE]: own, [PAGE.replace('page=1', 'page=2')]: [] }),
      told(kraken, { '/0/public/Ticker': { error: [], result: Object.fromEntries(tickers) } }),
      told(geckoterminal, { [POOLS]: { data: pools } }),
    ]
    const accept = new Set(['listings_fall', 'priced_fall', 'markets_fall', 'median_move'] as const)
    const { outcome } = await sampleRun(root, {
      sources,
      now: NOON + run * 60_000,
      accept,
      history: { perRun: 0, perSource: 0 },
    })
    expect(outcome).toBe('published')
  }
  expect(readdirSync(outside)).toEqual(['.quotetree', 'tree'])
  expect(await errorsIn(root)).toEqual([])

  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const isPlain = (name: string) => /^([a-z0-9/.=-]+|schemas\/[A-Za-z]+\.json|state\/[a-z0-9_.-]+)$/.test(name)
  expect(names.filter((name) => !isPlain(name))).toEqual([])
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  const texts = names
    .filter((name) => /\.(json|ndjson|xml|csv|txt)$/.test(name))
    .map((name) => readFileSync(join(root, name), 'utf8'))
  // Line feeds are ours; no other control, no half character, no link but https and those to the logos of the site.
  const printable = (text: string) => !UNPRINTABLE.test(text.replaceAll(/\r?\n/g, '')) && text.isWellFormed()
  expect(texts.filter((text) => !printable(text))).toEqual([])
  const LINK =
    /"(?:\w*url|website|whitepaper|source_code|twitter|telegram|discord)":"(?!https:\/\/|\."|\/logos\/[a-z0-9-]+\.svg")[^"]*"/g
  expect(texts.flatMap((text) => text.match(LINK) ?? [])).toEqual([])
})

it('makes a slug of any text that is safe as a name of a file on any system', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const slug = slugOf(text)
      if (slug === '') return
      expect(Slug.safeParse(slug).success).toBe(true)
      expect(slug).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/)
    }),
    { numRuns: scaled(2000, 50_000) },
  )
})
