import { RIGHTS } from '../contract/rights.ts'
import { LEAST_KEPT_DAYS } from '../history/closes.ts'
import { HOST_BUDGETS } from '../hosting/budgets.ts'
import { COLOURS } from '../pages/brand.ts'

/** One setting, as people read of it. */
export interface Setting {
  /** Its place in the file, with dots between. */
  readonly path: string
  /** What it sets. */
  readonly about: string
  /** What it takes, as the end of a sentence: "takes …". */
  readonly takes: string
  /** What happens without it, where its default says too little. */
  readonly absent?: string
  /** Option of commands that overrides it. */
  readonly option?: string
  /** Whether that option takes several values, with commas between. */
  readonly isList?: true
  /** Environment variable that overrides it. */
  readonly variable?: string
}

/** Every setting, in the order of the file. */
export const SETTINGS: readonly Setting[] = [
  {
    path: 'product',
    about: 'name of the service, in every answer and on every page',
    takes: 'a name of at most 60 characters, without quotes, braces, brackets, $ and \\',
  },
  {
    path: 'label',
    about: 'label of live data',
    takes: 'a text of at most 100 characters that does not begin with "sample"',
    absent: 'public preview',
  },
  {
    path: 'site',
    about: 'address of the published site, with its base path',
    takes: 'a URL that begins with http:// or https://, without credentials, query and fragment',
    absent: 'pages do not name their own address',
    variable: 'SITE_URL',
  },
  {
    path: 'prefix',
    about: 'path of the API below the site, before the first publication; npm run config -- --apply builds it in',
    takes: 'lower-case letters, digits, dashes and slashes, such as "v1/quotes"',
  },
  {
    path: 'sources.only',
    about: 'sources to collect from',
    takes: 'a list of source ids',
    absent: 'all',
    option: 'only',
    isList: true,
  },
  { path: 'sources.off', about: 'sources to leave out', takes: 'a list of source ids' },
  {
    path: 'listings',
    about: 'listings to request from each aggregator',
    takes: 'a whole number of 1 or more',
    absent: 'what each source gives at once',
    option: 'listings',
  },
  {
    path: 'leastListings',
    about: 'listings that a first publication of live data must have',
    takes: 'a whole number',
    absent: '1000, or `listings` if that is less',
    option: 'least-listings',
  },
  {
    path: 'cadenceMinutes',
    about: 'minutes between runs; npm run config -- --apply writes it into the workflow',
    takes: 'a whole number from 1 to 1440',
    option: 'cadence',
  },
  {
    path: 'overdueMinutes',
    about:
      'minutes after `staleAfter` from which a snapshot is overdue: /healthz answers 503 and notify raises an alarm',
    takes: 'a whole number from 0 to 43200',
  },
  {
    path: 'country',
    about: 'country of the machine; sources that block it are left out or asked elsewhere',
    takes: 'two capital letters, such as "US"',
    absent: 'unknown',
    option: 'country',
  },
  {
    path: 'collectors',
    about: 'machines that record sources for the build; npm run config -- --apply lets the workflow start them',
    takes:
      'a list such as [{ name: "eu", runs_on: "eu-runner", country: "DE", sources: ["kraken"] }, { name: "rest", runs_on: ' +
      '"ubuntu-24.04" }], with each source once, and at most one collector without sources, which takes the rest',
    absent: 'the machine that builds',
    variable: 'COLLECTORS',
  },
  {
    path: 'rights',
    about: 'classes of rights that may be published',
    takes: `a list of ${RIGHTS.join(', ')}`,
    absent: 'all',
    option: 'rights',
    isList: true,
  },
  {
    path: 'historyRequests',
    about: 'requests for past prices in a run',
    takes: 'a whole number',
    absent: '120, and more in the first run',
    option: 'history-requests',
  },
  {
    path: 'closesDays',
    about: 'days of closes that stay in the tree',
    takes: `a whole number of ${LEAST_KEPT_DAYS} or more: a day enters the archive a week after its end`,
    absent: 'all',
    option: 'closes-days',
  },
  {
    path: 'maxStateAgeHours',
    about: 'age from which a restored publication is refused if another place could not be read',
    takes: 'a whole number of hours',
    absent: '24',
    option: 'max-state-age',
  },
  {
    path: 'archive.halfHourlyDays',
    about: 'days for which the archive keeps a snapshot per half hour',
    takes: 'a whole number',
    option: 'half-hourly-days',
  },
  {
    path: 'archive.hourlyDays',
    about: 'days for which the archive keeps a snapshot per hour; after that, one per day',
    takes: 'a whole number',
    option: 'hourly-days',
  },
  {
    path: 'host',
    about: 'host whose limits a run keeps',
    takes: `one of ${Object.keys(HOST_BUDGETS).join(', ')}`,
    absent: 'no limits',
    option: 'budget',
  },
  {
    path: 'compress',
    about: 'publish each document as .gz and .br too, for nginx, Caddy and other servers that send such files',
    takes: 'true or false',
    option: 'compress',
  },
  { path: 'pages.logo', about: 'logo and favicon', takes: 'the path of an SVG file', absent: 'the built-in one' },
  {
    path: 'pages.colours',
    about: 'colours of the pages',
    takes: `colours by name (${COLOURS.join(', ')}), each "#rrggbb" or { light: "#rrggbb", dark: "#rrggbb" }`,
  },
  {
    path: 'pages.currencies',
    about: 'currencies that the pages offer, in this order',
    takes: 'a list of symbols in capitals, such as ["EUR", "BTC"]',
    absent: 'all that have a rate',
  },
  {
    path: 'ecosystem.name',
    about: "endpoint of the publisher's own assets",
    takes: 'lower-case letters, digits and single dashes, no name of another endpoint',
  },
  {
    path: 'ecosystem.title',
    about: "what the publisher's own assets are called",
    takes: 'a text of at most 100 characters',
  },
  {
    path: 'registry',
    about: "the publisher's own reviewed assets",
    takes: 'the path of a folder with one file each, or a list of assets with slug, symbol and name',
    absent: 'the built-in assets alone',
  },
  {
    path: 'alerts',
    about: 'rules that each run checks; `alerts.json` and `alerts.xml` tell when one begins to hold',
    takes: 'a list such as [{ slug: "bitcoin", above: 100000 }, { slug: "ethereum", changePercent: 10 }]',
    absent: 'none',
  },
  {
    path: 'keys.coingecko.variable',
    about: 'environment variable that holds the CoinGecko key',
    takes: 'the name of a variable in capitals, never the key itself',
  },
  {
    path: 'keys.coingecko.plan',
    about: 'plan of the CoinGecko key',
    takes: '"demo" or "pro"',
    variable: 'COINGECKO_PLAN',
  },
]
