import { API_FOLDER } from '../core/contract/prefix.ts'
import { symbolKey } from '../core/contract/names.ts'
import { PRICE_TEXTS } from '../core/contract/site-files.ts'
import type { PublicationData } from '../core/endpoints/endpoint.ts'
import { type Sample, embedSample } from './api-samples.tsx'
import { SITE_PLACEHOLDER } from './site.tsx'

export interface Guide {
  readonly id: string
  readonly name: string
  /** What to know, with `code` in backticks. */
  readonly text: string
  readonly samples: readonly Sample[]
}

const BASE = `${SITE_PLACEHOLDER}${API_FOLDER}/`

/** Returns a command, and programs of which each begins with a function `read` for files of the API. */
const programs = (command: string, javascript: string, python: string): readonly Sample[] => [
  ['curl', command],
  ['JavaScript', `const read = async (file) => (await fetch('${BASE}' + file)).json()\n\n${javascript}`],
  [
    'Python',
    `import json, urllib.request

def read(file):
    with urllib.request.urlopen('${BASE}' + file) as answer:
        return json.load(answer)

${python}`,
  ],
]

/** Names in the guides for what differs between trees. */
const NAMES = /\{(slug|key|chain|address|year)\}/g

const GUIDES: readonly Guide[] = [
  {
    id: 'quickstart',
    name: 'First price',
    text:
      'Copy a command and run it; there is no key. `prices` has the price of every listing by slug. A price that is not in ' +
      'it is unknown. JavaScript runs in the console of a browser, or in Node from a file such as `price.mjs`.',
    samples: [
      ...programs(
        `curl '${SITE_PLACEHOLDER}${PRICE_TEXTS.folder}/{slug}.txt'\ncurl '${BASE}assets/{slug}.json'`,
        `const { prices } = await read('prices.json')
console.log(prices['{slug}'])`,
        `print(read('prices.json')['prices']['{slug}'])`,
      ),
      ['Sheets', `=IMPORTDATA("${BASE}assets.csv")`],
    ],
  },
  {
    id: 'dashboard',
    name: 'Dashboard',
    text:
      '`markets` has everything that a table of the market shows, and `history` the points of a chart. Load them again ' +
      'after `nextBuildAt` of the index: until then they do not change, and a request with the `ETag` costs a 304.',
    samples: programs(
      `curl -s '${BASE}markets.csv' | head -n 11\ncurl '${BASE}history/{slug}/days=30.json'`,
      `const { rows } = await read('markets.json')
console.table(rows.slice(0, 10), ['name', 'price_usd', 'percent_change_24h', 'market_cap_usd'])`,
      `for row in read('markets.json')['rows'][:10]:
    print(row['name'], row['price_usd'], row['percent_change_24h'], row['market_cap_usd'])`,
    ),
  },
  {
    id: 'bot',
    name: 'Bot',
    text:
      'Poll `head`, which is smaller than a packet, and read the prices when its `snapshotId` changes. After `staleAfter` ' +
      'the prices are old: do not trade on them. `price_confidence` of an asset says how well its sources agree.',
    samples: programs(
      `curl '${BASE}head.json'\ncurl '${BASE}assets/{slug}.json'`,
      `const { snapshotId, staleAfter } = await read('head.json')
const { asset } = await read('assets/{slug}.json')
const isStale = new Date(staleAfter) < new Date
console.log(snapshotId, isStale ? 'stale' : asset.price_usd, asset.price_confidence)`,
      `from datetime import datetime, timezone

head, asset = read('head.json'), read('assets/{slug}.json')['asset']
is_stale = head['staleAfter'] < datetime.now(timezone.utc).isoformat()
print(head['snapshotId'], 'stale' if is_stale else asset['price_usd'], asset['price_confidence'])`,
    ),
  },
  {
    id: 'wallet',
    name: 'Wallet',
    text:
      'The prices of a chain are by contract. A contract that several listings claim has no price. `tokenlist.json` at the ' +
      'root of this site names the verified contracts of EVM chains with their decimals and logos.',
    samples: programs(
      `curl -s '${BASE}prices/{chain}.json' | grep '{address}'`,
      `const { prices } = await read('prices/{chain}.json')
console.log(prices['{address}'])`,
      `print(read('prices/{chain}.json')['prices']['{address}'])`,
    ),
  },
  {
    id: 'back-test',
    name: 'Back-test',
    text:
      '`closes` has one file for each day with the open, high, low and close of every listing, also of those that are gone ' +
      'since: a test on the survivors alone looks too good. The tables have the same as Parquet.',
    samples: programs(
      `curl '${BASE}closes.json'\ncurl '${BASE}tables.json'`,
      `const days = (await read('closes.json')).rows.slice(0, 30).map(({ day }) => day)
const [now, then] = await Promise.all([days[0], days.at(-1)].map((day) => read('closes/' + day + '.json')))
const prices = new Map(now.rows.map((row) => [row.slug, row.close_usd]))
const bought = then.rows.sort((a, b) => b.market_cap_usd - a.market_cap_usd).slice(0, 10)
const worth = bought.reduce((sum, { slug, close_usd }) => sum + (prices.get(slug) ?? 0) / close_usd, 0)
console.log('Ten largest of', then.day, 'on', now.day, ((worth / bought.length - 1) * 100).toFixed(2), '%')`,
      `days = [row['day'] for row in read('closes.json')['rows'][:30]]
now, then = (read('closes/' + day + '.json')['rows'] for day in (days[0], days[-1]))
prices = {row['slug']: row['close_usd'] for row in now}
bought = sorted(then, key=lambda row: -(row['market_cap_usd'] or 0))[:10]
worth = sum(prices.get(row['slug'], 0) / row['close_usd'] for row in bought)
print('Ten largest of', days[-1], 'on', days[0], round((worth / len(bought) - 1) * 100, 2), '%')`,
    ),
  },
  {
    id: 'tax',
    name: 'Tax report',
    text:
      'A past day of `closes` never changes, so a report can name the file that it is made of. `rates` of the year has the ' +
      'value of each currency on each day: an amount of the past is worth what the currency was worth then.',
    samples: programs(
      `curl '${BASE}closes.json'\ncurl -s '${BASE}rates/years/{year}.json' | tail -n 2`,
      `const { today } = await read('closes.json')
const { rows } = await read('closes/' + today + '.json')
const rates = (await read('rates/years/{year}.json')).rows.filter(({ rates_usd }) => rates_usd.EUR)
const { close_usd } = rows.find((row) => row.slug === '{slug}')
console.log(today, close_usd / rates.at(-1).rates_usd.EUR, 'EUR')`,
      `today = read('closes.json')['today']
rows = read('closes/' + today + '.json')['rows']
rates = [row['rates_usd'] for row in read('rates/years/{year}.json')['rows'] if 'EUR' in row['rates_usd']]
close_usd = next(row['close_usd'] for row in rows if row['slug'] == '{slug}')
print(today, close_usd / rates[-1]['EUR'], 'EUR')`,
    ),
  },
  {
    id: 'agent',
    name: 'Agent',
    text:
      'An agent reads `llms.txt`, finds a slug in `symbols`, and quotes each figure with its time and `price_confidence`. On ' +
      'a host with a function, `/mcp` answers by the Model Context Protocol; for any other host, ' +
      '`quotetree-client mcp` does so with the address of this site.',
    samples: programs(
      `curl -s '${SITE_PLACEHOLDER}llms.txt' | head -n 3\ncurl '${BASE}assets/{slug}.json'`,
      `const { rows } = await read('symbols.json')
const { slug } = rows.find(({ key }) => key === '{key}')
const { timestamp, asset } = await read('assets/' + slug + '.json')
console.log(asset.name, asset.price_usd, 'USD at', timestamp, 'confidence', asset.price_confidence)`,
      `slug = next(row['slug'] for row in read('symbols.json')['rows'] if row['key'] == '{key}')
answer = read('assets/' + slug + '.json')
asset = answer['asset']
print(asset['name'], asset['price_usd'], 'USD at', answer['timestamp'], 'confidence', asset['price_confidence'])`,
    ),
  },
  {
    id: 'embeds',
    name: 'Elements for a page',
    text: 'A price, a ticker or a chart on any page. They follow the publications while they are seen.',
    samples: [embedSample(SITE_PLACEHOLDER, '{slug}')],
  },
]

/** Returns the guides that a tree can follow: those whose commands name nothing that it lacks. */
export function guidesOf({ listed, directory, pastRates }: PublicationData, site: string): readonly Guide[] {
  const priced = listed.map(({ asset }) => asset).filter(({ price_usd }) => price_usd !== null)
  const asset = priced.find(({ slug }) => slug === 'bitcoin') ?? priced[0]
  const contract = priced
    .flatMap(({ contracts }) => contracts)
    .find(({ chain, address }) => directory.chains.get(chain)?.filter((row) => row.address === address).length === 1)
  const { slug, symbol = '', chain, address } = { ...asset, ...contract }
  const year = [...pastRates.keys()].toSorted().at(-1)
  const values: Readonly<Record<string, string | undefined>> = { slug, key: symbolKey(symbol), chain, address, year }
  const filled = ([language, text]: Sample): Sample => [
    language,
    text.replaceAll(NAMES, (whole, name) => values[name] ?? whole).replaceAll(SITE_PLACEHOLDER, site),
  ]
  const guides = GUIDES.map((guide) => ({ ...guide, samples: guide.samples.map(filled) }))
  return guides.filter(({ samples }) => samples.every(([, text]) => text.match(NAMES) === null))
}
