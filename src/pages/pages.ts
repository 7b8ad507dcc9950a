import { ECOSYSTEM, type Ecosystem } from '../contract/product.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { SITE_PLACEHOLDER } from './docs-view.ts'
import { type Page, escaped } from './html.ts'
import { LISTS } from './market-lists.ts'

/** Takes the place of the switch until the script has made it. */
const currency =
  '<label id="currency" class="currency"><select aria-label="Currency" disabled><option>USD</option></select></label>'

/** Without JavaScript, on a page that is complete without it but for what it names. */
const without = (missing: string): string =>
  `<p>Without JavaScript, ${missing}. Figures are from the last publication; <a href="{root}${API_FOLDER}.json">${API_FOLDER}.json</a> leads to the data.</p>`

const CURL = `curl -H 'Content-Type: application/json' '${SITE_PLACEHOLDER}${API_FOLDER}/listing-requests' \\
  --data '{"request_type": "new", "name": "Acme", "symbol": "ACM", "website": "https://acme.example"}'`

const loading = '<p class="loading" role="status">Loading…</p>'

/** Returns the page of the publisher's own assets. */
function ecosystemPage({ name, title }: Ecosystem): Page {
  return {
    path: 'ecosystem/index.html',
    program: 'ecosystem',
    name: 'Ecosystem',
    title: title,
    description: `Assets of the ${title} ecosystem, and the pools that trade them.`,
    noscript: without('nothing here is refreshed while the page is open'),
    body: `<h1>${escaped(title)}</h1>
<div id="assets"${name === ECOSYSTEM.name ? '' : ` data-endpoint="${name}"`}>${loading}</div>
<h2>DEX pairs</h2>
<div id="pairs">${loading}</div>`,
  }
}

/** Every page, in the order of the navigation. */
export const PAGES: readonly Page[] = [
  {
    path: 'index.html',
    program: 'market',
    name: 'Market',
    title: 'Crypto market',
    description: 'Prices of more than a thousand crypto assets, with the venues behind each price.',
    noscript: without('the market shows the first 100 listings by rank, and cannot be searched or sorted'),
    body: `<h1>Market</h1>
<p id="summary" class="totals">&nbsp;</p>
<div id="movers" class="movers" role="group" aria-label="Movers"></div>
<div class="bar">
<div id="tabs" class="tabs waiting" role="group" aria-label="List">${LISTS.map((list) => `<button type="button">${list}</button>`).join('')}</div>
<label class="check"><input id="verified" type="checkbox"> Verified only</label>
${currency}
<input id="search" type="search" placeholder="Search name, symbol, contract or id" aria-label="Search name, symbol, contract or id" aria-keyshortcuts="/ Enter" autocomplete="off" spellcheck="false">
</div>
<section id="portfolio" aria-label="Portfolio" hidden></section>
<div id="table">${loading}</div>`,
  },
  {
    path: 'token/index.html',
    program: 'token',
    name: null,
    title: 'Token',
    description: 'Price, history, exchange markets and contracts of one asset, and how its price was computed.',
    noscript:
      '<p>This page shows the token that its address names with a script. <a href="{root}">The market</a> links to pages that need none.</p>',
    body: `${currency}
<div id="token">${loading}</div>`,
  },
  {
    path: 'categories/index.html',
    program: 'categories',
    name: 'Categories',
    title: 'Categories',
    description: 'Categories of crypto assets with market cap, change and volume, and the listings of each.',
    noscript: without('nothing here is refreshed while the page is open'),
    body: `<h1>Categories</h1>
<div id="categories">${loading}</div>`,
  },
  {
    path: 'exchanges/index.html',
    program: 'exchanges',
    name: 'Exchanges',
    title: 'Exchanges',
    description: 'Exchanges and DEXes with volume, the share of it that prices use, outliers, and the markets of each.',
    noscript: without('nothing here is refreshed while the page is open'),
    body: `<h1>Exchanges</h1>
<div id="exchanges">${loading}</div>`,
  },
  ecosystemPage(ECOSYSTEM),
  {
    path: 'status/index.html',
    program: 'status',
    name: 'Status',
    title: 'Status',
    description: 'Health of every source, freshness and coverage of the data, values held back, and the method.',
    noscript: without('nothing here is refreshed while the page is open'),
    body: `<h1>Status</h1>
<div id="overview">${loading}</div>
<h2>Runs</h2>
<div id="runs">${loading}</div>
<h2>Sources</h2>
<div id="sources">${loading}</div>
<h2>Held back</h2>
<div id="quarantine">${loading}</div>
<h2>Recent changes</h2>
<div id="changes">${loading}</div>
<h2 id="method">Method</h2>
<div id="methodology">${loading}</div>`,
  },
  {
    path: 'list/index.html',
    program: 'list',
    name: 'Request a listing',
    title: 'Request a listing',
    description:
      'Request a listing, an update or a removal. Requests are free, and people review them and give a reason.',
    noscript: `<p>The form and the queue need JavaScript. Without it, send the request as JSON, where the site accepts requests:</p>
<pre class="output">${escaped(CURL)}</pre>
<p>The answer has the id of the request. Its status is then at <code>${API_FOLDER}/listing-requests/&lt;id&gt;</code>, and the queue at <a href="{root}${API_FOLDER}/listing-requests.json">${API_FOLDER}/listing-requests.json</a>. <a href="{root}docs/">The API reference</a> names all members.</p>`,
    body: `<h1>Request a listing</h1>
<p class="lead">Requests are free. People review them and give a reason for each decision. Nothing is published before a
reviewer has read it. Your e-mail address and notes are never published.</p>
<div id="form"></div>
<h2 id="look-up">Look up a request</h2>
<div id="lookup"></div>
<h2>Queue</h2>
<div id="queue">${loading}</div>`,
  },
  {
    path: 'docs/index.html',
    program: 'docs',
    name: 'API',
    title: 'API reference',
    description: 'Every endpoint of the API with its parameters and members, and a form to try it.',
    noscript: without(
      'endpoints cannot be tried in place, and their members are in <a href="{root}openapi.json">openapi.json</a> alone',
    ),
    body: `<h1>API reference</h1>
<div id="docs" class="reference">${loading}</div>`,
  },
]

/** Returns every page of a publisher with this ecosystem. */
export const pagesOf = (ecosystem: Ecosystem): readonly Page[] =>
  PAGES.map((page) => (page.program === 'ecosystem' ? ecosystemPage(ecosystem) : page))
