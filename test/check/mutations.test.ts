import { beforeAll, describe, expect, it } from 'vitest'
import type { Verification } from '../../src/check/verify.ts'
import type { Json } from '../../src/contract/text.ts'
import { deepIt, scaled } from '../scale.ts'
import { sitePages } from '../../scripts/pages.ts'
import { once } from '../once.ts'
import { sampleRun } from '../sample-tree.ts'
import { FORGED, type Mutation, UNFORGED } from './mutation-table.ts'
import { type Edit, type Files, edit, everywhere, filesOf, forged, mutated, verified } from './mutations.ts'

let files: Files
beforeAll(async () => {
  // With pages and a checkpoint: everything that a publication has.
  files = filesOf(
    await once('sample-12-pages', async (root) =>
      sampleRun(root, { count: 12, pages: await sitePages(), checkpoint: true }),
    ),
  )
})

const times =
  (factor: number) =>
  (value: Json): Json =>
    typeof value === 'number' ? Number((value * factor).toPrecision(8)) : value
const plus =
  (more: number) =>
  (value: Json): Json =>
    typeof value === 'number' ? value + more : value
const to = (value: Json) => (): Json => value
const double = times(2)
const flip = (value: Json): Json => value !== true
const swapFirst = (rows: Json): Json =>
  Array.isArray(rows) ? [...rows.slice(0, 2).toReversed(), ...rows.slice(2)] : rows
const withoutFirst = (rows: Json): Json => (Array.isArray(rows) ? rows.slice(1) : rows)
const twice = (rows: Json): Json => (Array.isArray(rows) ? [...rows.slice(0, 1), ...rows] : rows)
const inRows =
  (names: readonly string[], change: (value: Json) => Json) =>
  (rows: Json): Json =>
    Array.isArray(rows) ? rows.map((row) => withNames(row, names, change)) : rows
function withNames(row: Json, names: readonly string[], change: (value: Json) => Json): Json {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, names.includes(name) ? change(value) : value]),
  )
}

const PROFILE = 'mkt/assets/bitcoin.json'
const MARKETS = 'mkt/assets/bitcoin/markets.json'
const COLLECTOR = 'mkt/collector.json'
const DOLLARS = [
  'price_usd',
  'market_cap_usd',
  'volume_24h_usd',
  'fully_diluted_valuation_usd',
  'high_24h_usd',
  'low_24h_usd',
  'ath_usd',
]

const profile = (member: string, change: (value: Json) => Json): Edit[] => [edit(PROFILE, `asset.${member}`, change)]
const row = (member: string, change: (value: Json) => Json): Edit[] => [edit(MARKETS, `rows[0].${member}`, change)]
const inFile = (file: string, member: string, change: (value: Json) => Json): Edit[] => [edit(file, member, change)]

/** Every mutation with the document and the member that must be named. */
const MUTATIONS: readonly (readonly [string, readonly Edit[], string, RegExp])[] = [
  [
    'every dollar figure of one asset doubled in all documents',
    [
      ...DOLLARS.slice(0, 3).flatMap((member) => everywhere('bitcoin', member, double)),
      ...DOLLARS.slice(3).flatMap((member) => everywhere('bitcoin', member, double, 'markets')),
      edit(MARKETS, 'rows', inRows(['price_usd', 'volume_24h_usd'], double)),
      edit(PROFILE, 'asset.price_basis.sources', inRows(['price_usd'], double)),
      edit(PROFILE, 'asset.price_basis.excluded', inRows(['price_usd'], double)),
    ],
    MARKETS,
    /^rows\[0\]\.price_usd$/,
  ],
  [
    'the rate of USDT in collector',
    inFile(COLLECTOR, 'referenceRates[symbol=USDT].price_usd', to(0.5)),
    COLLECTOR,
    /^referenceRates\[\d+\]\.price_usd$/,
  ],
  [
    'the price of an input of a rate',
    inFile(COLLECTOR, 'referenceRates[symbol=USDT].inputs', inRows(['price'], times(0.5))),
    COLLECTOR,
    /^referenceRates/,
  ],
  [
    'the weight of an input of a rate',
    inFile(COLLECTOR, 'referenceRates[symbol=USDT].inputs[0].weight', times(0.5)),
    COLLECTOR,
    /inputs\[0\]\.weight$/,
  ],
  [
    'the number of venues of a rate',
    inFile(COLLECTOR, 'referenceRates[symbol=USDT].quotes', plus(1)),
    COLLECTOR,
    /quotes$/,
  ],
  [
    'the price in assets alone',
    inFile('mkt/assets.json', 'rows[slug=bitcoin].price_usd', double),
    'mkt/assets.json',
    /price_usd$/,
  ],
  [
    'the price in markets alone',
    inFile('mkt/markets.json', 'rows[slug=bitcoin].price_usd', double),
    'mkt/markets.json',
    /price_usd$/,
  ],
  ['the price in the profile alone', profile('price_usd', double), PROFILE, /^asset\.price_usd$/],
  ['the price in all documents', everywhere('bitcoin', 'price_usd', double), PROFILE, /^asset\.price_usd$/],
  [
    'the price in a shortened list',
    inFile('mkt/assets/limit=10.json', 'rows[0].price_usd', double),
    'mkt/assets/limit=10.json',
    /^rows\[0\]\.price_usd$/,
  ],
  [
    'the price in markets as lines',
    inFile('mkt/markets.ndjson', 'rows[slug=bitcoin].price_usd', double),
    'mkt/markets.ndjson',
    /^line \d+$/,
  ],
  ['the market cap in all documents', everywhere('bitcoin', 'market_cap_usd', double), PROFILE, /market_cap_usd$/],
  [
    'the market cap in assets alone',
    inFile('mkt/assets.json', 'rows[slug=bitcoin].market_cap_usd', double),
    'mkt/assets.json',
    /market_cap_usd$/,
  ],
  ['the supply in all documents', everywhere('bitcoin', 'circulating_supply', double), PROFILE, /market_cap_usd$/],
  [
    'the fully diluted value',
    everywhere('bitcoin', 'fully_diluted_valuation_usd', double, 'markets'),
    PROFILE,
    /fully_diluted_valuation_usd$/,
  ],
  [
    'the maximum supply',
    everywhere('bitcoin', 'max_supply', double, 'markets'),
    PROFILE,
    /fully_diluted_valuation_usd$/,
  ],
  ['the change in all documents', everywhere('bitcoin', 'percent_change_24h', plus(1)), PROFILE, /percent_change_24h$/],
  [
    'the change in gainers alone',
    inFile('mkt/gainers.json', 'rows[0].percent_change_24h', plus(1)),
    'mkt/gainers.json',
    /percent_change_24h$/,
  ],
  [
    'a witness of the change',
    inFile(PROFILE, 'asset.change_basis.sources', inRows(['percent_change_24h'], plus(3))),
    PROFILE,
    /percent_change_24h$/,
  ],
  ['the volume in the profile alone', profile('volume_24h_usd', double), PROFILE, /volume_24h_usd$/],
  [
    'the volume in assets alone',
    inFile('mkt/assets.json', 'rows[slug=bitcoin].volume_24h_usd', double),
    'mkt/assets.json',
    /volume_24h_usd$/,
  ],
  ['who tells the volume', profile('told_by', to({})), PROFILE, /volume_24h_usd$/],
  ['the confidence', everywhere('bitcoin', 'price_confidence', to(1)), PROFILE, /price_confidence$/],
  ['the rank in all documents', everywhere('bitcoin', 'market_cap_rank', to(2)), PROFILE, /market_cap_rank$/],
  [
    'a flag of the market',
    everywhere('bitcoin', 'market_flag', to('one_witness'), 'markets').slice(-1),
    PROFILE,
    /market_flag$/,
  ],
  ['the number of exchanges', everywhere('bitcoin', 'exchange_count', plus(1)), PROFILE, /exchange_count$/],
  ['the number of markets', profile('market_count', plus(1)), PROFILE, /market_count$/],
  [
    'the high of the day in markets alone',
    inFile('mkt/markets.json', 'rows[slug=bitcoin].high_24h_usd', double),
    'mkt/markets.json',
    /high_24h_usd$/,
  ],
  [
    'the last price of a sparkline',
    inFile('mkt/markets.json', 'rows[slug=bitcoin].sparkline_7d[27]', double),
    'mkt/markets.json',
    /sparkline_7d/,
  ],
  ['the method of the price', profile('price_basis.method', to('dex')), PROFILE, /^asset\.price_basis\.method$/],
  [
    'the price of a source of the basis',
    profile('price_basis.sources[0].price_usd', times(1.001)),
    PROFILE,
    /^asset\.price_basis\.sources/,
  ],
  [
    'the weight of a source of the basis',
    profile('price_basis.sources[0].weight', times(0.5)),
    PROFILE,
    /^asset\.price_basis\.sources\[0\]\.weight$/,
  ],
  [
    'a basis without its first source',
    profile('price_basis.sources', withoutFirst),
    PROFILE,
    /^asset\.price_basis\.sources/,
  ],
  ['the fragility', profile('price_basis.fragility_bp', plus(1)), PROFILE, /fragility_bp$/],
  [
    'the reason of a low confidence',
    profile('price_basis.low_confidence_reason', to('split')),
    PROFILE,
    /low_confidence_reason$/,
  ],
  ['the price of a market', row('price', times(1.5)), MARKETS, /^rows\[0\]\.price(_usd)?$/],
  ['the dollar price of a market', row('price_usd', times(1.0001)), MARKETS, /^rows\[0\]\.price_usd$/],
  ['the volume of a market', row('volume_24h_usd', times(1.0001)), MARKETS, /^rows\[0\]\.volume_24h_usd$/],
  ['the volume of a market in its quote', row('volume_24h_quote', double), MARKETS, /^rows\[0\]\.volume_24h_usd$/],
  ['the rate of a market', row('quote_usd', times(0.999)), MARKETS, /^rows\[0\]\.quote_usd$/],
  ['the ask of a market', row('ask', times(1.05)), MARKETS, /^rows\[0\]\.spread_percent$/],
  ['the spread of a market', row('spread_percent', plus(0.1)), MARKETS, /^rows\[0\]\.spread_percent$/],
  ['the quality of a market', row('quality', to('low')), MARKETS, /^rows\[0\]\.quality$/],
  ['the score of a market', row('quality_score', plus(-1)), MARKETS, /^rows\[0\]\.quality_score$/],
  ['the weight of a market', row('weight', times(0.5)), MARKETS, /^rows\[0\]\.weight$/],
  ['whether a market is used', row('used_in_price', flip), MARKETS, /^rows\[0\]\.used_in_price$/],
  ['whether a market is an outlier', row('is_outlier', flip), MARKETS, /^rows\[0\]\.is_outlier$/],
  ['whether a market is stale', row('is_stale', flip), MARKETS, /^rows/],
  ['the order of the markets', inFile(MARKETS, 'rows', swapFirst), MARKETS, /^rows\[0\]$/],
  ['a market too few', inFile(MARKETS, 'rows', withoutFirst), MARKETS, /^count$/],
  ['the order of assets', inFile('mkt/assets.json', 'rows', swapFirst), 'mkt/assets.json', /^rows\[0\]\.slug$/],
  ['the order of gainers', inFile('mkt/gainers.json', 'rows', swapFirst), 'mkt/gainers.json', /^rows\[0\]\.slug$/],
  ['a gainer too few', inFile('mkt/gainers.json', 'rows', withoutFirst), 'mkt/gainers.json', /^rows\[0\]\.slug$/],
  [
    'an asset too few in trending',
    inFile('mkt/trending.json', 'rows', withoutFirst),
    'mkt/trending.json',
    /^rows\[0\]\.slug$/,
  ],
  ['the total of a list', inFile('mkt/markets.json', 'total', plus(1)), 'mkt/markets.json', /^total$/],
  ['the number of listings in the index', inFile('mkt.json', 'listings', plus(1)), 'mkt.json', /^listings$/],
  ['when the tree is stale', inFile('mkt.json', 'staleAfter', to('2030-01-01T00:00:00Z')), 'mkt.json', /^staleAfter$/],
  ['the listing of a symbol', inFile('mkt/symbols/BTC.json', 'rows', withoutFirst), 'mkt/symbols/BTC.json', /^rows/],
  ['how many prices there are', inFile(COLLECTOR, 'coverage.priced', plus(1)), COLLECTOR, /^coverage\.priced$/],
  [
    'how many have a history',
    inFile(COLLECTOR, 'coverage.with_history', plus(1)),
    COLLECTOR,
    /^coverage\.with_history$/,
  ],
  [
    'the markets of a venue',
    inFile(COLLECTOR, 'rows[source_id=sample-a].market_count', plus(1)),
    COLLECTOR,
    /market_count$/,
  ],
  ['the rows of a venue', inFile(COLLECTOR, 'rows[source_id=sample-a].row_count', plus(1)), COLLECTOR, /row_count$/],
  [
    'a number of a rule',
    inFile(COLLECTOR, 'methodology.constants.quorum', to(2)),
    COLLECTOR,
    /^methodology\.constants\.quorum$/,
  ],
  [
    'a source that is called healthy',
    inFile('mkt/assets.json', 'sourceStatus', to('degraded')),
    'mkt/assets.json',
    /^sourceStatus$/,
  ],
  [
    'the gaps of a history',
    inFile('mkt/history/bitcoin/days=7.json', 'missing', plus(1)),
    'mkt/history/bitcoin/days=7.json',
    /^missing$/,
  ],
  [
    'the beginning of a history',
    inFile('mkt/history/bitcoin/days=30.json', 'from', to('2026-01-01T00:00:00Z')),
    'mkt/history/bitcoin/days=30.json',
    /^from$/,
  ],
  [
    'the end of a history',
    inFile('mkt/history/bitcoin/days=7.json', 'to', to('2026-11-20T11:00:00Z')),
    'mkt/history/bitcoin/days=7.json',
    /^(from|rows)/,
  ],
  [
    'a point of the long history alone',
    inFile('mkt/history/bitcoin/days=365.json', 'rows[350].price_usd', double),
    'mkt/history/bitcoin/days=90.json',
    /^rows\[\d+\]/,
  ],
  [
    'a point too few in a history',
    inFile('mkt/history/bitcoin/days=7.json', 'rows', withoutFirst),
    'mkt/history/bitcoin/days=7.json',
    /^(count|missing)$/,
  ],
  [
    'the gaps of candles',
    inFile('mkt/candles/bitcoin/days=7.json', 'missing', plus(1)),
    'mkt/candles/bitcoin/days=7.json',
    /^missing$/,
  ],
  [
    'a low above its close',
    inFile('mkt/candles/bitcoin/days=30.json', 'rows[5].low_usd', double),
    'mkt/candles/bitcoin/days=30.json',
    /^rows\[5\]\.low_usd$/,
  ],
  [
    'a bar of the year alone',
    inFile('mkt/candles/bitcoin/days=365.json', 'rows[350].high_usd', double),
    'mkt/candles/bitcoin/days=90.json',
    /^rows\[\d+\]/,
  ],
  [
    'a high of a bar above that of the longer bar of its time',
    inFile('mkt/candles/bitcoin/days=7.json', 'rows[0].high_usd', to(1e12)),
    'mkt/candles/bitcoin/days=30.json',
    /high_usd$/,
  ],
  ['a day of closes too many', inFile('mkt/closes.json', 'count', plus(1)), 'mkt/closes.json', /^count$/],
  [
    'the close of a listing today',
    inFile('mkt/closes/2026-11-20.json', 'rows[0].close_usd', double),
    'mkt/closes/2026-11-20.json',
    /^rows\[0\]\.(close|high)_usd$/,
  ],
  [
    'the liquidity of a pool',
    inFile('mkt/dex-pairs.json', 'rows[0].liquidity_usd', double),
    'mkt/assets/',
    /liquidity_usd$/,
  ],
]

/** Whether verify names a mutation: the check, the file and the member. */
const isNamed = (findings: Verification['findings'], { finding: [check, document, member] }: Mutation): boolean =>
  findings.some(
    (one) =>
      one.check === check && one.document.startsWith(document) && (member === undefined || member.test(one.member)),
  )

const titleOf = ({ kind, what, finding: [, document] }: Mutation): string => `${kind}: ${what} of ${document}`
/** Each verifies a whole tree, so the short suite takes every twentieth. */
const someOf = <Row>(rows: readonly Row[]): readonly Row[] => rows.filter((_, index) => index % scaled(30, 1) === 0)

describe('a mutation with right digests of what is wrong', () => {
  it.each(someOf(MUTATIONS))('of %s is found and named', async (_, edits, document, member) => {
    const { findings } = await verified(forged(mutated(files, edits)))
    const named = findings.filter((finding) => finding.document.startsWith(`api/${document}`))
    expect(named.map((finding) => finding.member)).toContainEqual(expect.stringMatching(member))
  })

  it('of a limit that every publication keeps is found and named, whatever the sources report', async () => {
    const limits: readonly (readonly [Edit, string, string])[] = [
      [edit(PROFILE, 'asset.high_24h_usd', () => 1), PROFILE, 'asset.high_24h_usd'],
      [edit(PROFILE, 'asset.ath_usd', () => 1), PROFILE, 'asset.ath_usd'],
      [edit(PROFILE, 'asset.max_supply', () => 1), PROFILE, 'asset.circulating_supply'],
      [edit(PROFILE, 'asset.last_updated', () => '2999-01-01T00:00:00Z'), PROFILE, 'asset.last_updated'],
      [edit(PROFILE, 'asset.percent_change_7d', () => 123), 'mkt/markets.json', 'rows[0].percent_change_7d'],
      [edit('mkt/global.json', 'global.market_cap_usd', () => 1), 'mkt/global.json', 'global.market_cap_usd'],
      [edit('mkt/dex-pairs.json', 'rows', twice), 'mkt/dex-pairs.json', 'rows'],
      [edit(COLLECTOR, 'rows[source_id=sample-a].last_success', () => '2020-01-01T00:00:00Z'), MARKETS, 'is_stale'],
      [edit(COLLECTOR, 'rows[source_id=sample].source_id', () => 'other'), PROFILE, 'asset.told_by.sample'],
    ]
    const { findings } = await verified(
      forged(
        mutated(
          files,
          limits.map(([one]) => one),
        ),
      ),
    )
    const named = findings.map(({ document, member }) => `${document} ${member}`)
    const isNamed = (document: string, member: string) =>
      named.some((one) => one.startsWith(`api/${document} `) && one.endsWith(member))
    expect(limits.filter(([, document, member]) => !isNamed(document, member))).toEqual([])
  })

  it.each([
    ['files that change', false],
    ['files that come and go', true],
  ])('of every kind of %s is found, whatever else is wrong', async (_, comesAndGoes) => {
    const group = FORGED.filter(({ what }) => /the whole file|a file too many/.test(what) === comesAndGoes)
    const { findings } = await verified(
      forged(
        mutated(
          files,
          group.flatMap(({ edits }) => edits),
        ),
      ),
    )
    expect(group.filter((mutation) => !isNamed(findings, mutation)).map(titleOf)).toEqual([])
  })

  for (const mutation of FORGED)
    deepIt(`${titleOf(mutation)} is found`, async () => {
      const { findings } = await verified(forged(mutated(files, mutation.edits)))
      expect(isNamed(findings, mutation)).toBe(true)
    })
})

describe('a mutation that leaves the manifest as it is', () => {
  it('is named by its file, whatever else is wrong', async () => {
    // A manifest that cannot be read names no other file.
    const alone = UNFORGED.filter(({ kind }) => kind === 'manifest')
    for (const group of [alone, UNFORGED.filter((mutation) => !alone.includes(mutation))]) {
      const edits = new Map(group.map(({ edits, finding: [, document] }) => [document, edits]))
      const { findings } = await verified(mutated(files, [...edits.values()].flat()), { composition: null })
      expect(group.filter((mutation) => !isNamed(findings, mutation)).map(titleOf)).toEqual([])
    }
  })

  it('is one of at least 120 that are tried, of every kind of file', () => {
    expect(MUTATIONS.length + FORGED.length + UNFORGED.length).toBeGreaterThanOrEqual(120)
    expect(new Set([...FORGED, ...UNFORGED].map(({ kind }) => kind)).size).toBeGreaterThan(20)
  })
})
