import type { ListingRequestBody } from '../client/answers.ts'
import { HONEYPOT } from '../core/contract/site-files.ts'

interface Field {
  readonly name: keyof ListingRequestBody
  readonly label: string
  readonly hint?: string
  readonly kind?: 'area' | 'email' | 'url'
  readonly required?: true
  readonly choices?: Readonly<Record<string, string>>
}

export const FIELDS: readonly Field[] = [
  {
    name: 'request_type',
    label: 'What for',
    choices: { new: 'A new listing', update: 'Update a listing', delist: 'Remove a listing' },
  },
  { name: 'name', label: 'Name', required: true },
  { name: 'symbol', label: 'Symbol', required: true },
  { name: 'slug', label: 'Slug', hint: 'Slug of the existing listing: the last part of the address of its page.' },
  { name: 'website', label: 'Website', kind: 'url', hint: 'A website, an explorer or a contract is required.' },
  { name: 'explorer_url', label: 'Explorer', kind: 'url' },
  { name: 'contracts', label: 'Contracts', kind: 'area', hint: 'One per line: chain, space, address.' },
  { name: 'markets', label: 'Markets', kind: 'area', hint: 'One https URL per line.' },
  { name: 'source_code_url', label: 'Source code', kind: 'url' },
  { name: 'whitepaper_url', label: 'Whitepaper', kind: 'url' },
  { name: 'description', label: 'Description', kind: 'area' },
  {
    name: 'contact_email',
    label: 'E-mail',
    kind: 'email',
    hint: 'For the reviewer’s questions. Never published; deleted 30 days after the request is closed.',
  },
  { name: 'note', label: 'Note to the reviewer', kind: 'area', hint: 'Never published.' },
]

function FormField({ name, label, hint, kind, required, choices }: Field) {
  const attributes = { id: name, name, 'aria-describedby': `${name}-hint ${name}-error`, 'aria-required': required }
  return (
    <div class="field" data-field={name}>
      <label for={name}>
        {label}
        {required && <span class="soft"> required</span>}
      </label>
      {choices ? (
        <select {...attributes}>
          {Object.entries(choices).map(([value, text]) => (
            <option value={value}>{text}</option>
          ))}
        </select>
      ) : kind === 'area' ? (
        <textarea {...attributes} rows={3} />
      ) : (
        <input {...attributes} inputmode={kind} placeholder={kind === 'url' ? 'https://' : ''} autocomplete="off" />
      )}
      <p id={`${name}-hint`} class="soft">
        {hint}
      </p>
      <p id={`${name}-error`} class="error" />
    </div>
  )
}

export const RequestPage = () => (
  <>
    <h1>Request a listing</h1>
    <p class="lead">
      Requests are free. People review them and give a reason for each decision. Nothing is published before a reviewer
      has read it. Your e-mail address and notes are never published.
    </p>
    <form id="request-form" class="form" novalidate>
      {FIELDS.map(FormField)}
      {/* Honeypot: people cannot see this field, but bots fill it in. */}
      <div class="hidden" aria-hidden="true">
        <input name={HONEYPOT} tabindex={-1} autocomplete="off" />
      </div>
      <button type="submit" class="button primary">
        Send request
      </button>
      <div id="outcome" role="status" />
    </form>
    <h2 id="look-up">Look up a request</h2>
    <form id="look-up-form" class="bar">
      <input id="request" required size={26} placeholder="Id of the request" aria-label="Id of the request" />
      <button type="submit" class="button">
        Look up
      </button>
    </form>
    <div id="found-request" role="status" />
  </>
)

const linesOf = (text: string): string[] => text.split(/\s*\n\s*/)

function memberOf(name: string, text: string) {
  if (name === 'markets') return linesOf(text)
  if (name !== 'contracts') return text
  return linesOf(text).map((line) => {
    const [chain = '', ...address] = line.split(/\s+/)
    return { chain, address: address.join(' ') }
  })
}

export function bodyOf(form: FormData): ListingRequestBody {
  const members = [...form].flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value.trim() : ''
    return text === '' ? [] : [[name, memberOf(name, text)] as const]
  })
  // The server reports missing names, so both are always sent.
  return { name: '', symbol: '', ...Object.fromEntries(members) }
}
