import { hydrate, render } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { ROOT, fileOfSite } from './api.ts'
import { SITE_PLACEHOLDER, SampleTabs, Sources, requestSamples } from './docs-view.tsx'
import { WithCode } from './figures.tsx'
import { Loaded } from './loaded.tsx'
import { CopyButton } from './marks.tsx'
import { type Operation, type Parameter, addressesOf, membersOf, operationsOf } from './reference.ts'
import { surround } from './start.tsx'

/** Maximum number of characters shown of an answer. */
const MOST_SHOWN = 6000

type ParameterProps = { readonly operation: Operation; readonly parameter: Parameter }

function Control({ operation, parameter: { name, description, usual, example, choices, place } }: ParameterProps) {
  const id = `${operation.id}-${name}`
  const value = usual || (place === 'path' ? example : '')
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code>
      </label>
      {choices.length > 0 ? (
        // Without a default, it is not sent unless it is chosen: hosts of files have no answer for it.
        <select id={id} name={name}>
          {(value === '' ? ['', ...choices] : choices).map((choice) => (
            <option selected={choice === value}>{choice}</option>
          ))}
        </select>
      ) : (
        <input id={id} name={name} defaultValue={value} autocomplete="off" spellcheck={false} />
      )}
      <p class="hint">
        <WithCode text={description} />
      </p>
    </div>
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

interface Answer {
  readonly url: string
  readonly status: number
  readonly etag: string | null
  readonly ms: number
  readonly text: string
}

async function answerOf(operation: Operation, form: HTMLFormElement): Promise<Answer> {
  const begun = performance.now()
  const [url, response] = await tried(operation, form)
  const text = await response.text()
  const ms = Math.round(performance.now() - begun)
  return { url, status: response.status, etag: response.headers.get('etag'), ms, text }
}

const AnswerText = ({ url, status, etag, ms, text }: Answer) => (
  <>
    <p>
      <strong>{status}</strong> in {ms} ms, ETag {etag ?? 'none'}: <a href={url}>{url}</a>
    </p>
    <pre class="output" tabindex={0}>
      {text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n… ${text.length - MOST_SHOWN} more characters` : text}
    </pre>
  </>
)

function TryIt({ operation }: { readonly operation: Operation }) {
  const [outcome, setOutcome] = useState<Answer | 'asking' | 'failed' | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const ask = () => {
    if (form.current === null) return
    setOutcome('asking')
    answerOf(operation, form.current).then(setOutcome, () => setOutcome('failed'))
  }
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
    >
      <div class="form">
        {operation.parameters.map((parameter) => (
          <Control operation={operation} parameter={parameter} />
        ))}
      </div>
      {operation.body !== null && (
        <div class="field">
          <label for={`${operation.id}-body`}>Body</label>
          <textarea id={`${operation.id}-body`} name="body" rows={8} defaultValue={operation.body} />
        </div>
      )}
      <p>
        <button type="submit" class="button primary">
          Try it
        </button>
      </p>
      <div role="status">
        {outcome === 'asking' && 'Asking…'}
        {outcome === 'failed' && <p class="notice">The site does not respond.</p>}
        {outcome !== null && typeof outcome === 'object' && <AnswerText {...outcome} />}
      </div>
    </form>
  )
}

type MembersProps = { readonly members: ReturnType<typeof membersOf> }

const Members = ({ members }: MembersProps) => (
  <dl class="members">
    {members.map(({ name, type, description, inner }) => (
      <>
        <dt>
          <code>{name}</code> <span class="soft">{type}</span>
        </dt>
        <dd>
          <WithCode text={description} />
          {inner.length > 0 && (
            <details>
              <summary>Members</summary>
              <Members members={inner} />
            </details>
          )}
        </dd>
      </>
    ))}
  </dl>
)

type OpenedProps = { readonly document: unknown; readonly operation: Operation }

/** What an opened endpoint shows: a form to try it, its answers, their members and an example. */
function Opened({ document, operation }: OpenedProps) {
  const members = operation.answer === undefined ? null : membersOf(document, operation.answer)
  return (
    <>
      <TryIt operation={operation} />
      <Sources {...operation} />
      {operation.file !== '' && (
        <SampleTabs id={operation.id} samples={requestSamples(new URL(operation.file.slice(1), ROOT).href)} />
      )}
      {operation.example !== null && (
        <details>
          <summary>Example, without unknown members</summary>
          <pre class="output" tabindex={0}>
            {operation.example.slice(0, MOST_SHOWN)}
          </pre>
        </details>
      )}
      <h3>Answers</h3>
      <ul class="statuses">
        {operation.statuses.map(([status, meaning]) => (
          <li>
            <strong>{status}</strong> <WithCode text={meaning} />
          </li>
        ))}
      </ul>
      {members !== null && <h3>Members</h3>}
      {members !== null && (members.length > 0 ? <Members members={members} /> : <p class="soft">Nothing.</p>)}
    </>
  )
}

let described: Promise<unknown> | null = null

/** Reads the description when the first endpoint is opened, and again after a failure. */
function description(): Promise<unknown> {
  described ??= fileOfSite('openapi.json')
  return described.catch((error: unknown) => {
    described = null
    throw error
  })
}

/** Completes an endpoint of the document when it is opened for the first time. */
function complete(endpoint: HTMLDetailsElement): void {
  const place = endpoint.querySelector<HTMLElement>(':scope > div')
  if (place === null || !endpoint.open || place.dataset['complete'] !== undefined) return
  place.dataset['complete'] = ''
  render(
    <Loaded load={description}>
      {(document) => {
        const operation = operationsOf(document).find(({ id }) => id === endpoint.id)
        return operation && <Opened document={document} operation={operation} />
      }}
    </Loaded>,
    place,
  )
}

/** Opens the endpoint that the address names. */
function openNamed(): void {
  const named = location.hash === '' ? null : document.getElementById(location.hash.slice(1))
  if (named instanceof HTMLDetailsElement) named.open = true
  named?.scrollIntoView()
}

const endpoints = [...document.querySelectorAll<HTMLDetailsElement>('details.endpoint')]

/** Hides the endpoints, and the links to them, whose address and description lack some of these words. */
function narrow(words: readonly string[]): void {
  for (const endpoint of endpoints) {
    const text = endpoint.querySelector('summary')?.textContent.toLowerCase() ?? ''
    endpoint.hidden = !words.every((word) => text.includes(word))
    const link = document.querySelector<HTMLElement>(`.contents a[href="#${endpoint.id}"]`)
    if (link) link.hidden = endpoint.hidden
  }
}

for (const endpoint of endpoints) endpoint.addEventListener('toggle', () => complete(endpoint))
// A site that does not know its address leaves it out of its documents.
for (const sample of document.querySelectorAll('.sample'))
  sample.textContent = sample.textContent.replaceAll(SITE_PLACEHOLDER, ROOT.href)
for (const sample of document.querySelectorAll<HTMLElement>('pre.sample')) {
  const button = sample.nextElementSibling
  if (!(button instanceof HTMLButtonElement) || sample.parentElement === null) continue
  const holder = document.createElement('span')
  button.replaceWith(holder)
  hydrate(<CopyButton text={sample.textContent} label={button.ariaLabel ?? 'Copy'} />, holder)
}
document.getElementById('docs-search')?.addEventListener('input', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLInputElement) narrow(currentTarget.value.trim().toLowerCase().split(/\s+/))
})
addEventListener('hashchange', openNamed)
openNamed()
await surround()
