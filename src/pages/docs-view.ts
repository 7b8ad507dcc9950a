import { API_FOLDER } from '../contract/prefix.ts'
import { BADGES } from '../contract/site-files.ts'
import { type Child, el, withCode } from './dom.ts'
import { ROOT } from './frame.ts'
import { type Group, type Operation, groupsOf } from './reference.ts'

/** Stands for the address of the site in a document that does not know its own; the script fills it in. */
export const SITE_PLACEHOLDER = 'https://your-site.example/'

/** Returns the description that an operation has before it is opened: what it takes, without a form to try it. */
const parametersOf = ({ parameters }: Operation): Child =>
  parameters.length === 0
    ? null
    : el(
        'dl',
        { class: 'members' },
        ...parameters.flatMap(({ name, description, usual }) => [
          el(
            'dt',
            {},
            el('code', {}, name),
            usual === '' ? null : el('span', { class: 'soft' }, ` ${usual} by default`),
          ),
          el('dd', {}, withCode(description)),
        ]),
      )

/** The file of an answer, and the method of the client. */
export const sources = ({ id, file, method, answer }: Operation): Child =>
  method !== 'GET' || answer === undefined
    ? null
    : el(
        'p',
        { class: 'soft' },
        ...(file === ''
          ? []
          : ['File: ', el('a', { href: new URL(file.slice(1), ROOT).href }, el('code', {}, file)), '. ']),
        'Client: ',
        el('code', {}, `client.${id}()`),
        '.',
      )

const block = (operation: Operation): HTMLElement =>
  el(
    'details',
    { class: 'endpoint', id: operation.id },
    el(
      'summary',
      {},
      el('span', { class: 'verb', 'data-method': operation.method }, operation.method),
      el('code', {}, operation.path),
      el('span', { class: 'soft' }, withCode(operation.description)),
    ),
    el('div', {}, parametersOf(operation), sources(operation)),
  )

/** The first request, for people of several tools. */
function quickstart(base: string): Child {
  const samples = [
    ['curl', `curl '${base}/prices.json'`],
    [
      'JavaScript',
      `const answer = await fetch('${base}/prices.json')\nconst { prices } = await answer.json()\nconsole.log(prices.bitcoin)`,
    ],
    [
      'Python',
      `import json, urllib.request\nwith urllib.request.urlopen('${base}/prices.json') as answer:\n    print(json.load(answer)['prices']['bitcoin'])`,
    ],
    ['Spreadsheet', `=IMPORTDATA("${base}/assets.csv")`],
  ] as const
  return el(
    'section',
    { 'aria-label': 'Quickstart' },
    el('h2', { id: 'quickstart' }, 'Quickstart'),
    el(
      'div',
      { class: 'samples' },
      ...samples.map(([name, text]) =>
        el('div', {}, el('h3', {}, name), el('pre', { class: 'output sample', tabindex: 0 }, text)),
      ),
    ),
  )
}

/** A listing whose badge and price the reference shows. */
interface Embedded {
  readonly slug: string
  readonly name: string
}

/** How other pages show a price: an image that needs no script, and elements of one's own. */
function embeds(site: string, { slug, name }: Embedded): Child {
  const badge = `${BADGES.folder}/${slug}.svg`
  const samples = [
    ['Markdown', `![${name}](${site}${badge})`],
    ['HTML', `<img src="${site}${badge}" alt="Price of ${name}">`],
    [
      'Elements',
      `<script type="module" src="${site}embed.js"></script>\n<quote-price slug="${slug}"></quote-price>\n<quote-chart slug="${slug}" days="30"></quote-chart>`,
    ],
  ] as const
  return el(
    'section',
    { 'aria-label': EMBEDS },
    el('h2', { id: 'embeds' }, EMBEDS),
    el(
      'p',
      { class: 'soft' },
      `Badges are images of the first ${BADGES.files} listings by rank, which need no script and change with each publication: `,
      el('img', { class: 'badge-image', src: new URL(badge, ROOT).href, alt: `Price of ${name}`, height: 20 }),
    ),
    el(
      'div',
      { class: 'samples' },
      ...samples.map(([kind, text]) =>
        el('div', {}, el('h3', {}, kind), el('pre', { class: 'output sample', tabindex: 0 }, text)),
      ),
    ),
  )
}

const EMBEDS = 'Badges and embeds'

const idOf = (name: string): string => `group-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`

/** The endpoints of one group. */
const section = ({ name, description, operations }: Group): Child => [
  el('h2', { id: idOf(name) }, name),
  el('p', { class: 'soft' }, description),
  ...operations.map(block),
]

/** The contents of the reference, beside it. */
const contents = (groups: readonly Group[], hasEmbeds: boolean): HTMLElement =>
  el(
    'nav',
    { class: 'contents', 'aria-label': 'Endpoints' },
    el('a', { href: '#quickstart' }, 'Quickstart'),
    hasEmbeds ? el('a', { href: '#embeds' }, EMBEDS) : null,
    ...groups.map(({ name, operations }) => [
      el('a', { href: `#${idOf(name)}` }, name),
      el(
        'ul',
        {},
        ...operations.map(({ id, path }) =>
          el('li', {}, el('a', { href: `#${id}` }, path.replace(/^\/api\/mkt(?=.)/, ''))),
        ),
      ),
    ]),
  )

/**
 * Returns the reference of an OpenAPI description, with the endpoints closed.
 *
 * @param site its address, with a slash at the end
 * @param embedded a listing with a badge; null: there is none
 */
export function reference(document: unknown, site: string, embedded: Embedded | null): Child {
  const base = site + API_FOLDER
  const groups = groupsOf(document)
  return [
    contents(groups, embedded !== null),
    el(
      'div',
      { class: 'content' },
      el(
        'p',
        { class: 'lead' },
        'Every answer is computed in advance and published as a file below this address:',
        el('code', { class: 'sample' }, base),
        'No key, no limit for reading, CORS everywhere. Unknown is null. ',
        el('a', { href: new URL('openapi.json', ROOT).href }, 'OpenAPI 3.1'),
        ', ',
        el('a', { href: new URL('llms.txt', ROOT).href }, 'llms.txt'),
        '.',
      ),
      el(
        'p',
        { class: 'lead' },
        'For JavaScript there is a typed client without dependencies, ',
        el('code', {}, 'quotetree-client'),
        ', which also converts, selects and watches prices: ',
        el('code', {}, 'npm run pack'),
        ' in the project packs it.',
      ),
      quickstart(base),
      embedded === null ? null : embeds(site, embedded),
      ...groups.map(section),
    ),
  ]
}
