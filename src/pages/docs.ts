import { copyButton } from './copy-button.ts'
import { SITE_PLACEHOLDER, sources } from './docs-view.ts'
import { type Child, el, on, show, withCode } from './dom.ts'
import { ROOT, frame, into } from './frame.ts'
import { type Operation, type Parameter, addressesOf, members, operationsOf } from './reference.ts'

/** Maximum number of characters shown of an answer. */
const MOST_SHOWN = 6000

function control(operation: Operation, { name, description, usual, example, choices, place }: Parameter): HTMLElement {
  const id = `${operation.id}-${name}`
  const value = usual || (place === 'path' ? example : '')
  const input =
    choices.length > 0
      ? el(
          'select',
          { id, name },
          // Without a default, it is not sent unless it is chosen: hosts of files have no answer for it.
          ...(value === '' ? ['', ...choices] : choices).map((choice) =>
            el('option', { selected: choice === value }, choice),
          ),
        )
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

/** Returns what an opened endpoint shows: a form to try it, its answers, their members and an example. */
function opened(document: unknown, operation: Operation): Child {
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
  return [
    form,
    sources(operation),
    example(operation),
    el('h3', {}, 'Answers'),
    el('ul', { class: 'statuses' }, ...statuses),
    operation.answer === undefined
      ? null
      : [el('h3', {}, 'Members'), members(document, operation.answer) ?? el('p', { class: 'soft' }, 'Nothing.')],
  ]
}

/** An example without unknown members. */
const example = ({ example: text }: Operation): Child =>
  text === null
    ? null
    : el(
        'details',
        {},
        el('summary', {}, 'Example, without unknown members'),
        el('pre', { class: 'output', tabindex: 0 }, text.slice(0, MOST_SHOWN)),
      )

let described: Promise<unknown> | null = null

/** Reads the description when the first endpoint is opened, and again after a failure. */
function description(): Promise<unknown> {
  described ??= fetch(new URL('openapi.json', ROOT)).then((response) => {
    if (!response.ok) throw new Error('the OpenAPI description could not be loaded')
    return response.json()
  })
  return described.catch((error: unknown) => {
    described = null
    throw error
  })
}

/** Completes an endpoint of the document when it is opened for the first time. */
function complete(endpoint: HTMLDetailsElement): void {
  const place = endpoint.querySelector<HTMLElement>(':scope > div')
  if (place === null || place.dataset['complete'] !== undefined) return
  place.dataset['complete'] = ''
  void into(place, async () => {
    const document = await description()
    const operation = operationsOf(document).find(({ id }) => id === endpoint.id)
    return operation === undefined ? null : opened(document, operation)
  })
}

/** Opens the endpoint that the address names. */
function openNamed(): void {
  const named = location.hash === '' ? null : document.getElementById(location.hash.slice(1))
  if (named instanceof HTMLDetailsElement) named.open = true
  named?.scrollIntoView()
}

for (const endpoint of document.querySelectorAll<HTMLDetailsElement>('details.endpoint'))
  on(endpoint, { toggle: () => complete(endpoint) })
// A site that does not know its address leaves it out of its documents.
for (const sample of document.querySelectorAll('.sample'))
  sample.textContent = sample.textContent.replaceAll(SITE_PLACEHOLDER, ROOT.href)
for (const sample of document.querySelectorAll('pre.sample')) {
  const title = sample.previousElementSibling?.textContent ?? ''
  sample.before(copyButton(sample.textContent, `Copy the example for ${title}`))
}
addEventListener('hashchange', openNamed)
openNamed()
await frame()
