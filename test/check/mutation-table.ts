import type { Json } from '../../src/contract/text.ts'
import type { CheckName } from '../../src/check/verify.ts'
import { type Edit, edit, flipBit, remove, rewrite } from './mutations.ts'

/** A change of a published tree: the kind of the file, what is changed, and what verify must name. */
export interface Mutation {
  readonly kind: string
  readonly what: string
  readonly edits: readonly Edit[]
  /** Check, file and member of a finding. */
  readonly finding: readonly [check: CheckName, document: string, member?: RegExp]
}

const double = (value: Json): Json => (typeof value === 'number' ? Number((value * 2).toPrecision(8)) : value)
const plusOne = (value: Json): Json => (typeof value === 'number' ? value + 1 : value)
const to = (value: Json) => (): Json => value
const withoutFirst = (rows: Json): Json => (Array.isArray(rows) ? rows.slice(1) : rows)
const twice = (rows: Json): Json => (Array.isArray(rows) && rows[0] !== undefined ? [rows[0], ...rows] : rows)
const digit = (text: string): string => text.replace(/\d(?=[^\d]*$)/, (one) => String((Number(one) + 1) % 10))
const replaced = (from: string | RegExp, by: string) => (text: string) => text.replace(from, by)

const text = (kind: string, path: string, what: string, change: (text: string) => string): Mutation => ({
  kind,
  what,
  edits: [rewrite(path, change)],
  finding: ['documents', path],
})
const member = (
  kind: string,
  file: string,
  name: string,
  change: (value: Json) => Json,
  finding: readonly [check: CheckName, member: RegExp, file?: string],
): Mutation => ({
  kind,
  what: name,
  edits: [edit(file, name, change)],
  finding: [finding[0], `api/${finding[2] ?? file}`, finding[1]],
})
const removed = (kind: string, path: string): Mutation => ({
  kind,
  what: 'the whole file',
  edits: [remove(path)],
  finding: ['documents', path],
})
const added = (kind: string, path: string): Mutation => ({
  kind,
  what: 'a file too many',
  edits: [rewrite(path, () => '{}\n')],
  finding: ['documents', path],
})

/** Changes that leave the right digests behind: recomputing finds each of them. */
export const FORGED: readonly Mutation[] = [
  text('feed', 'feed.xml', 'the title', replaced(/<title>[^<]*/, '<title>Other')),
  text('feed', 'feed.xml', 'the time', replaced(/<updated>\d{4}/, '<updated>2001')),
  text('feed', 'feed.json', 'an event', (feed) =>
    feed.replace('"items": []', '"items": [{}]').replace(/listed/, 'delisted'),
  ),
  text('feed', 'feed.json', 'the title', replaced('"title"', '"name"')),
  text('token list', 'tokenlist.json', 'a contract', replaced(/"address":"0x[0-9A-Fa-f]{6}/, '"address":"0x123456')),
  text('token list', 'tokenlist.json', 'the decimals', replaced(/"decimals":\d+/, '"decimals":3')),
  text('token list', 'tokenlist.json', 'a symbol', replaced(/"symbol":"/, '"symbol":"X')),
  text('description', 'openapi.json', 'a path', replaced('/api/mkt/assets', '/api/mkt/assetz')),
  text('description', 'openapi.json', 'a sentence', replaced('Every', 'No')),
  text('description', 'llms.txt', 'a sentence', replaced('Every', 'No')),
  text('description', 'openapi.json', 'a required member', replaced('"required"', '"optional"')),
  text('description', 'openapi.json', 'a description', replaced('"description": "', '"description": "Not ')),
  text('page', 'index.html', 'a figure', digit),
  text('page', 'index.html', 'a script', replaced('ui/theme.js', 'ui/other.js')),
  text('page', 'index.html', 'the policy', replaced("default-src 'none'", 'default-src *')),
  text('page', 'token/bitcoin.html', 'a figure', digit),
  text('page', 'token/bitcoin.html', 'the name', replaced('Bitcoin', 'Bitcorn')),
  text(
    'page',
    'token/ethereum.html',
    'a contract or a link',
    replaced('href="https://', 'href="https://evil.example/'),
  ),
  text('page', 'status/index.html', 'the coverage', digit),
  text('page', 'exchanges/index.html', 'a volume', digit),
  text('page', 'categories/index.html', 'a figure', digit),
  text('page', 'ecosystem/index.html', 'a figure', digit),
  text('page', 'docs/index.html', 'an endpoint', replaced('api/mkt', 'api/mkd')),
  text('page', 'list/index.html', 'a form', replaced('<form ', '<form hidden ')),
  text('logo', 'logos/bitcoin.svg', 'a shape', digit),
  text('logo', 'logos/list.json', 'a slug', replaced('"bitcoin"', '"bitcorn"')),
  text('logo', 'logos/LICENSE.txt', 'the licence', replaced('MIT', 'No')),
  text('search', 'ui/search.json', 'an id', digit),
  text('export', 'api/mkt/assets.csv', 'a figure', digit),
  text('export', 'api/mkt/markets.csv', 'a figure', digit),
  text('export', 'api/mkt/assets.ndjson', 'a figure', digit),
  text('export', 'api/mkt/markets.ndjson', 'a figure', digit),
  removed('feed', 'feed.xml'),
  removed('page', 'token/bitcoin.html'),
  removed('description', 'openapi.json'),
  removed('list', 'api/mkt/prices.json'),
  removed('symbol', 'api/mkt/symbols/BTC.json'),
  removed('export', 'api/mkt/assets.csv'),
  added('page', 'token/evil.html'),
  added('document', 'api/mkt/evil.json'),
  added('description', 'evil.json'),
  {
    kind: 'history',
    what: 'the whole file',
    edits: [remove('api/mkt/history/bitcoin/days=30.json')],
    finding: ['history', 'api/mkt/history/bitcoin/days=30.json'],
  },
  {
    kind: 'candles',
    what: 'the whole file',
    edits: [remove('api/mkt/candles/bitcoin/days=30.json')],
    finding: ['candles', 'api/mkt/candles/bitcoin/days=30.json'],
  },
  member('index', 'mkt.json', 'label', to('public preview'), ['label', /^label$/]),
  member('index', 'mkt.json', 'generatedAt', to('2026-11-20T11:00:00Z'), ['documents', /^generatedAt$/]),
  member('index', 'mkt.json', 'version', to('v2'), ['documents', /^version$/]),
  member('index', 'mkt.json', 'links.openapi', to('/other.json'), ['documents', /^links\.openapi$/]),
  member('index', 'mkt.json', 'endpoints', withoutFirst, ['documents', /^endpoints/]),
  member('collector', 'mkt/collector.json', 'methodology.version', to('99'), ['documents', /^methodology\.version$/]),
  member('collector', 'mkt/collector.json', 'freshness.staleAfter', to('2030-01-01T00:00:00Z'), [
    'documents',
    /^freshness/,
  ]),
  member('list', 'mkt/prices.json', 'prices.bitcoin', double, ['documents', /^prices\.bitcoin$/]),
  member('list', 'mkt/rates.json', 'rows[0].price_usd', double, ['documents', /^rows/]),
  member('list', 'mkt/global.json', 'market_cap_usd', double, ['documents', /market_cap_usd$/]),
  member('list', 'mkt/exchanges.json', 'rows[0].volume_24h_usd', double, ['documents', /volume_24h_usd$/]),
  member('list', 'mkt/exchanges/sample-a.json', 'rows[0].price', double, ['documents', /price$/]),
  member('list', 'mkt/categories.json', 'rows[0].market_cap_usd', double, ['documents', /market_cap_usd$/]),
  member('list', 'mkt/losers.json', 'rows', withoutFirst, ['documents', /^rows/]),
  member('list', 'mkt/trending.json', 'rows', twice, ['documents', /^rows/]),
  member('list', 'mkt/tnk.json', 'rows[0].price_usd', to(1), ['documents', /price_usd$/]),
  member('list', 'mkt/ids/coingecko.json', 'rows', withoutFirst, ['documents', /^rows/]),
  member('list', 'mkt/rights.json', 'rows[0].class', to('restricted'), ['documents', /^rows/]),
  member('list', 'mkt/assets/limit=10.json', 'rows', withoutFirst, ['documents', /^rows/]),
  member('list', 'mkt/quarantine.json', 'count', plusOne, ['documents', /^count$/]),
  member('history', 'mkt/history/bitcoin/days=1.json', 'rows[0].timestamp', to('2026-11-01T00:10:00Z'), [
    'history',
    /^rows/,
  ]),
  member('history', 'mkt/history/bitcoin/days=7.json', 'slug', to('bitcorn'), ['schemas', /^slug$/]),
  member('history', 'mkt/history/bitcoin/days=90.json', 'rows[40].price_usd', double, ['history', /^rows/]),
  member('history', 'mkt/history/ethereum/days=7.json', 'rows', twice, ['history', /^(count|missing|rows)/]),
  member('history', 'mkt/history/bitcoin/days=30.json', 'endpoint', to('candles'), ['schemas', /^endpoint$/]),
  member('candles', 'mkt/candles/bitcoin/days=7.json', 'asOf', to('2026-11-20T09:00:00Z'), ['candles', /^asOf$/]),
  member('candles', 'mkt/candles/bitcoin/days=90.json', 'rows[3].close_usd', double, ['candles', /^rows/]),
  member('candles', 'mkt/candles/bitcoin/days=7.json', 'rows[3].high_usd', to(0.0001), [
    'candles',
    /^rows\[3\]\.high_usd$/,
  ]),
  member('daily', 'mkt/daily/bitcoin.json', 'columns.low_usd[0]', double, ['candles', /low_usd\[0\]$/]),
  member('daily', 'mkt/daily/bitcoin.json', 'missing', plusOne, ['candles', /^missing$/]),
  member('rates', 'mkt/rates/years/2026.json', 'sources[0].from', to('2026-01-09'), ['rates', /from$/]),
  member('rates', 'mkt/rates/years/2026.json', 'rows', twice, ['rates', /count$/]),
  member('closes', 'mkt/closes.json', 'today', to('2026-11-19'), ['closes', /^today$/]),
  member('closes', 'mkt/closes/2026-11-20.json', 'rows[0].volume_24h_usd', double, ['closes', /volume_24h_usd$/]),
  member('closes', 'mkt/closes/2026-11-20.json', 'rows[0].market_cap_usd', double, ['closes', /market_cap_usd$/]),
  member('closes', 'mkt/closes/2026-11-20.json', 'rows[0].runs', plusOne, ['closes', /runs$/]),
  member('changes', 'mkt/changes.json', 'count', plusOne, ['documents', /^count$/]),
  member('tables', 'mkt/tables.json', 'count', plusOne, ['schemas', /^count$/]),
  member('requests', 'mkt/listing-requests.json', 'timestamp', to('2020-01-01T00:00:00Z'), ['schemas', /^timestamp$/]),
]

/** Changes of files that only the manifest, or another list, describes. */
export const UNFORGED: readonly Mutation[] = [
  ...[
    ['script', 'ui/market.js'],
    ['script', 'ui/theme.js'],
    ['script', 'embed.js'],
    ['style', 'ui/style.css'],
    ['page', '404.html'],
    ['page', 'index.html'],
    ['page', 'token/tether.html'],
    ['feed', 'feed.xml'],
    ['feed', 'feed.json'],
    ['token list', 'tokenlist.json'],
    ['logo', 'logos/bitcoin.svg'],
    ['description', 'openapi.json'],
    ['description', 'llms.txt'],
    ['export', 'api/mkt/assets.csv'],
    ['export', 'api/mkt/markets.ndjson'],
    ['history', 'api/mkt/history/bitcoin/days=365.json'],
    ['candles', 'api/mkt/candles/bitcoin/days=365.json'],
    ['closes', 'api/mkt/closes/2026-11-20.json'],
    ['changes', 'api/mkt/changes.json'],
    ['profile', 'api/mkt/assets/bitcoin.json'],
    ['markets', 'api/mkt/assets/bitcoin/markets.json'],
    ['collector', 'api/mkt/collector.json'],
    ['manifest', 'api/mkt/manifest.json'],
  ].map(([kind = '', path = '']): Mutation => ({
    kind,
    what: 'one bit',
    // In the middle of a manifest is a time, a digest or a name, each with another finding.
    edits: [flipBit(path, path.endsWith('manifest.json') ? 0 : 0.5)],
    finding: [path.endsWith('manifest.json') ? 'chain' : 'digests', path],
  })),
  {
    kind: 'checkpoint',
    what: 'the size of a part',
    edits: [rewrite('state/latest.json', replaced(/(\.zip",\s*"bytes": )\d+/, '$11'))],
    finding: ['state', 'state/'],
  },
  {
    kind: 'any',
    what: 'a file too many',
    edits: [rewrite('token/evil.html', () => 'x')],
    finding: ['unlisted', 'token/evil.html'],
  },
  {
    kind: 'any',
    what: 'a file too many',
    edits: [rewrite('api/mkt/evil.json', () => '{}')],
    finding: ['unlisted', 'api/mkt/evil.json'],
  },
  {
    kind: 'host',
    what: 'its headers',
    edits: [rewrite('_headers', () => '/*\n  Access-Control-Allow-Origin: evil\n')],
    finding: ['unlisted', '_headers'],
  },
  {
    kind: 'compressed',
    what: 'its content',
    edits: [rewrite('feed.xml.gz', () => 'x')],
    finding: ['encodings', 'feed.xml.gz'],
  },
]
