import { API_FOLDER } from '../contract/prefix.ts'
import { BADGES } from '../contract/site-files.ts'

/** The same thing in one of several languages. */
export type Sample = readonly [language: string, text: string]

/** How to reach one aim with the API. */
interface Guide {
  readonly id: string
  readonly name: string
  /** What to know, with `code` in backticks. */
  readonly text: string
  readonly samples: readonly Sample[]
}

/** Returns a program in Python that reads one JSON file. */
const python = (url: string, ...lines: readonly string[]): Sample => [
  'Python',
  [
    'import json, urllib.request',
    `with urllib.request.urlopen('${url}') as answer:`,
    '    data = json.load(answer)',
    ...lines,
  ].join('\n'),
]

/** Returns a program in JavaScript that reads one JSON file. */
const javascript = (url: string, ...lines: readonly string[]): Sample => [
  'JavaScript',
  [`const data = await (await fetch('${url}')).json()`, ...lines].join('\n'),
]

/** Stands for the address of the site where it is not known; the script of the page fills it in. */
export const SITE_PLACEHOLDER = 'https://your-site.example/'

const base = SITE_PLACEHOLDER + API_FOLDER
const badge = `${SITE_PLACEHOLDER}${BADGES.folder}/bitcoin.svg`

/** The guides, with {@link SITE_PLACEHOLDER} in every command. */
export const GUIDES: readonly Guide[] = [
  {
    id: 'quickstart',
    name: 'Quickstart',
    text: 'One file has the price of every listing by slug. A price that is not in it is unknown.',
    samples: [
      ['curl', `curl '${base}/prices.json'`],
      javascript(`${base}/prices.json`, 'console.log(data.prices.bitcoin)'),
      python(`${base}/prices.json`, `print(data['prices']['bitcoin'])`),
      ['Spreadsheet', `=IMPORTDATA("${base}/assets.csv")`],
    ],
  },
  {
    id: 'dashboard',
    name: 'A dashboard',
    text:
      '`markets` has everything that a table of the market shows, and `history` the points of a chart. Load them again ' +
      'after `nextBuildAt` of the index: until then they do not change, and a request with the `ETag` costs a 304.',
    samples: [
      ['curl', `curl --compressed '${base}/markets.json'\ncurl --compressed '${base}/history/bitcoin/days=30.json'`],
      javascript(
        `${base}/markets.json`,
        'for (const { market_cap_rank, name, price_usd, percent_change_24h } of data.rows)',
        '  console.log(market_cap_rank, name, price_usd, percent_change_24h)',
      ),
      python(
        `${base}/markets.json`,
        `for row in data['rows']:`,
        `    print(row['market_cap_rank'], row['name'], row['price_usd'])`,
      ),
    ],
  },
  {
    id: 'bot',
    name: 'A bot',
    text:
      'Poll `head`, which is smaller than a packet, and read the prices when its `snapshotId` changes. After `staleAfter` ' +
      'the prices are old: do not trade on them. `price_confidence` of an asset says how well its sources agree.',
    samples: [
      ['curl', `curl '${base}/head.json'`],
      javascript(
        `${base}/head.json`,
        `if (new Date(data.staleAfter) < new Date) throw new Error('The prices are stale.')`,
        `const { asset } = await (await fetch('${base}/assets/bitcoin.json')).json()`,
        'if (asset.price_confidence > 0.8) console.log(asset.price_usd, asset.last_updated)',
      ),
      python(`${base}/head.json`, `print(data['snapshotId'], data['staleAfter'])`),
    ],
  },
  {
    id: 'wallet',
    name: 'A wallet',
    text:
      'The prices of a chain are by contract, and the token list names the verified contracts of EVM chains with their ' +
      'decimals and logos. A contract that several listings claim has no price.',
    samples: [
      ['curl', `curl '${base}/prices/ethereum.json'\ncurl '${SITE_PLACEHOLDER}tokenlist.json'`],
      javascript(
        `${base}/prices/ethereum.json`,
        `console.log(data.prices['0xdac17f958d2ee523a2206206994597c13d831ec7'])`,
      ),
      python(`${base}/prices/ethereum.json`, `print(data['prices']['0xdac17f958d2ee523a2206206994597c13d831ec7'])`),
    ],
  },
  {
    id: 'back-test',
    name: 'A back-test',
    text:
      '`closes` has one file for each day with the open, high, low and close of every listing, also of those that are gone ' +
      'since: a test on the survivors alone looks too good. The tables have the same as Parquet.',
    samples: [
      ['curl', `curl '${base}/closes.json'\ncurl '${base}/tables.json'`],
      javascript(
        `${base}/closes.json`,
        `const day = await (await fetch('${base}/closes/' + data.today + '.json')).json()`,
        'for (const { slug, close_usd, volume_24h_usd } of day.rows) console.log(slug, close_usd, volume_24h_usd)',
      ),
      python(
        `${base}/closes.json`,
        `with urllib.request.urlopen('${base}/closes/' + data['today'] + '.json') as answer:`,
        `    for row in json.load(answer)['rows']:`,
        `        print(row['slug'], row['close_usd'])`,
      ),
    ],
  },
  {
    id: 'tax',
    name: 'A tax report',
    text:
      'A past day of `closes` never changes, so a report can name the file that it is made of. `rates` of the year has the ' +
      'value of each currency on each day: an amount of the past is worth what the currency was worth then.',
    samples: [
      ['curl', `curl '${base}/closes.json'\ncurl '${base}/rates/years/2026.json'`],
      javascript(
        `${base}/closes.json`,
        `const day = await (await fetch('${base}/closes/' + data.today + '.json')).json()`,
        `console.log(day.rows.find(({ slug }) => slug === 'bitcoin').close_usd)`,
      ),
      python(
        `${base}/closes.json`,
        `with urllib.request.urlopen('${base}/closes/' + data['today'] + '.json') as answer:`,
        `    print(next(row['close_usd'] for row in json.load(answer)['rows'] if row['slug'] == 'bitcoin'))`,
      ),
    ],
  },
  {
    id: 'embeds',
    name: 'Badges and embeds',
    text: `Badges are images of the first ${BADGES.files} listings by rank, which need no script and change with each publication.`,
    samples: [
      ['Markdown', `![Bitcoin](${badge})`],
      ['HTML', `<img src="${badge}" alt="Price of Bitcoin">`],
      [
        'Elements',
        `<script type="module" src="${SITE_PLACEHOLDER}embed.js"></script>\n<quote-price slug="bitcoin"></quote-price>\n<quote-chart slug="bitcoin" days="30"></quote-chart>`,
      ],
    ],
  },
]
