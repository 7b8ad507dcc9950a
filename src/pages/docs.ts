import { type Child, el, on, part, show, withCode } from './dom.ts'
import { ROOT, frame, into } from './frame.ts'
import { type Group, type Operation, type Parameter, addressesOf, groupsOf, members } from './reference.ts'

/** Maximum number of characters shown of an answer. */
const MOST_SHOWN = 6000

function control(operation: Operation, { name, description, usual, example, choices, place }: Parameter): HTMLElement {
  const id = `${operation.id}-${name}`
  const value = usual || (place === 'path' ? example : '')
  const input =
    choices.length > 0
      ? el('select', { id, name }, ...choices.map((choice) => el('option', { selected: choice === value }, choice)))
      : el('input', { id, name, value, autocomplete: 'off', spellcheck: 'false' })
  return el(
    'div',
    { class: 'field' },
    el('label', { for: id }, el('code', {}, name)),
    input,
    el('p', { class: 'hint' }, withCode(description)),
  )
}

const isJson = (response: Response): boolean => /json/.test(response.headers.get('content-type') ?? '')

async function tried(operation: Operation, form: HTMLFormElement): Promise<readonly [string, Response]> {
  const values = new Map(
    [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value.trim()] as const] : [],
    ),
  )
  const [address, file] = addressesOf(operation, values)
  const url = new URL(address, ROOT)
  if (operation.body !== null) {
    const headers = { 'content-type': 'application/json' }
    return [url.href, await fetch(url, { method: operation.method, headers, body: values.get('body') ?? '' })]
  }
  const response = await fetch(url)
  // A name with an ending is the file itself.
  if (isJson(response) || /\.[a-z]+$/.test(url.pathname)) return [url.href, response]
  // Static hosts serve the answer under the name of its file.
  const other = new URL(file, ROOT)
  return [other.href, await fetch(other)]
}

async function run(operation: Operation, form: HTMLFormElement, output: HTMLElement): Promise<void> {
  show(output, 'Asking…')
  try {
    const begun = performance.now()
    const [url, response] = await tried(operation, form)
    const text = await response.text()
    const ms = Math.round(performance.now() - begun)
    const rest = text.length > MOST_SHOWN ? `\n… ${text.length - MOST_SHOWN} more characters` : ''
    show(
      output,
      el(
        'p',
        {},
        el('strong', {}, String(response.status)),
        ` in ${ms} ms, ETag ${response.headers.get('etag') ?? 'none'}: `,
        el('a', { href: url }, url),
      ),
      el('pre', { class: 'output', tabindex: 0 }, text.slice(0, MOST_SHOWN) + rest),
    )
  } catch {
    show(output, el('p', { class: 'notice' }, 'The site does not respond.'))
  }
}

function block(document: unknown, operation: Operation): HTMLElement {
  const output = el('div', { role: 'status' })
  const form = el(
    'form',
    {},
    el('div', { class: 'form' }, ...operation.parameters.map((parameter) => control(operation, parameter))),
    operation.body === null
      ? null
      : el(
          'div',
          { class: 'field' },
          el('label', { for: `${operation.id}-body` }, 'Body'),
          el('textarea', { id: `${operation.id}-body`, name: 'body', rows: 8 }, operation.body),
        ),
    el('p', {}, el('button', { type: 'submit', class: 'button primary' }, 'Try it')),
    output,
  )
  on(form, {
    submit: (event) => {
      event.preventDefault()
      void run(operation, form, output)
    },
  })
  const statuses = operation.statuses.map(([status, meaning]) =>
    el('li', {}, el('strong', {}, status), ' ', withCode(meaning)),
  )
  return el(
    'details',
    { class: 'endpoint', id: operation.id, open: location.hash === `#${operation.id}` },
    el(
      'summary',
      {},
      el('span', { class: 'verb' }, operation.method),
      el('code', {}, operation.path),
      el('span', { class: 'soft' }, withCode(operation.description)),
    ),
    el(
      'div',
      {},
      form,
      sources(operation),
      el('h3', {}, 'Answers'),
      el('ul', { class: 'statuses' }, ...statuses),
      operation.answer === undefined
        ? null
        : [el('h3', {}, 'Members'), members(document, operation.answer) ?? el('p', { class: 'soft' }, 'Nothing.')],
    ),
  )
}

/** The file of an answer, the method of the client, and an example without unknown members. */
const sources = ({ id, file, example, method, answer }: Operation): Child => [
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
      ),
  example === null
    ? null
    : el(
        'details',
        {},
        el('summary', {}, 'Example, without unknown members'),
        el('pre', { class: 'output', tabindex: 0 }, example.slice(0, MOST_SHOWN)),
      ),
]

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
    ...samples.map(([name, text]) => [el('h3', {}, name), el('pre', { class: 'output', tabindex: 0 }, text)]).flat(),
  )
}

/** The endpoints of one group. */
const section = (document: unknown, { name, description, operations }: Group): Child => [
  el('h2', {}, name),
  el('p', { class: 'soft' }, description),
  ...operations.map((operation) => block(document, operation)),
]

async function description(): Promise<unknown> {
  const response = await fetch(new URL('openapi.json', ROOT))
  if (!response.ok) throw new Error('the OpenAPI description could not be loaded')
  return response.json()
}

await Promise.all([
  into(part('docs', HTMLElement), async () => {
    const document = await description()
    const base = new URL('api/mkt', ROOT).href
    return [
      el(
        'p',
        { class: 'lead' },
        'Every answer is computed in advance and published as a file: ',
        el('code', {}, base),
        ' and what is below. No key, no limit for reading, CORS everywhere. Unknown is null. ',
        el('a', { href: new URL('openapi.json', ROOT).href }, 'OpenAPI 3.1'),
        ', ',
        el('a', { href: new URL('llms.txt', ROOT).href }, 'llms.txt'),
        '.',
      ),
      el(
        'p',
        {},
        'For JavaScript there is a typed client without dependencies, ',
        el('code', {}, 'quotetree-client'),
        ', which also converts, selects and watches prices: ',
        el('code', {}, 'npm run pack-client'),
        ' in the project packs it.',
      ),
      quickstart(base),
      ...groupsOf(document).map((group) => section(document, group)),
    ]
  }),
  frame(),
])
