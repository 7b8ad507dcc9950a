import type { ListingRequestBody } from '../client/answers.ts'
import type { ApiError } from '../client/errors.ts'
import { HONEYPOT } from '../contract/site-files.ts'

interface Field {
  readonly name: keyof ListingRequestBody
  readonly label: string
  readonly hint?: string
  readonly kind?: 'area' | 'email' | 'url'
  readonly required?: true
  readonly choices?: readonly (readonly [string, string])[]
}

const FIELDS: readonly Field[] = [
  {
    name: 'request_type',
    label: 'What for',
    choices: [
      ['new', 'A new listing'],
      ['update', 'Update a listing'],
      ['delist', 'Remove a listing'],
    ],
  },
  { name: 'name', label: 'Name', required: true },
  { name: 'symbol', label: 'Symbol', required: true },
  { name: 'slug', label: 'Slug', hint: 'Slug of the existing listing, for an update or a removal.' },
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

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns the request body of a form. Empty fields are left out. */
export function bodyOf(form: FormData): ListingRequestBody {
  const filled = [...form].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
  )
  const members = Object.fromEntries(
    filled.map(([name, value]) => {
      if (name === 'markets') return [name, linesOf(value)]
      if (name !== 'contracts') return [name, value]
      const contracts = linesOf(value).map((line) => {
        const [chain = '', ...address] = line.split(/\s+/)
        return { chain, address: address.join(' ') }
      })
      return [name, contracts]
    }),
  )
  // The server reports missing names, so both are always sent.
  return { name: '', symbol: '', ...members }
}

const TYPES = {
  text: { type: 'text' },
  email: { type: 'email' },
  url: { type: 'url', placeholder: 'https://' },
} as const

interface FieldProps {
  readonly field: Field
  /** What the server found wrong with it; empty: nothing. */
  readonly error: string
}

function FormField({ field: { name, label, hint, kind, required, choices }, error }: FieldProps) {
  const [hintId, errorId] = [`${name}-hint`, `${name}-error`]
  const attributes = {
    id: name,
    name,
    'aria-describedby': hint ? `${hintId} ${errorId}` : errorId,
    'aria-required': required,
    'aria-invalid': error === '' ? undefined : true,
  } as const
  return (
    <div class="field">
      <label for={name}>
        {label}
        {required && <span class="soft"> required</span>}
      </label>
      {choices ? (
        <select {...attributes}>
          {choices.map(([value, text]) => (
            <option value={value}>{text}</option>
          ))}
        </select>
      ) : kind === 'area' ? (
        <textarea {...attributes} rows={3} />
      ) : (
        <input {...attributes} {...TYPES[kind ?? 'text']} autocomplete="off" />
      )}
      {hint && (
        <p id={hintId} class="hint">
          {hint}
        </p>
      )}
      <p id={errorId} class="error" data-for={name}>
        {error}
      </p>
    </div>
  )
}

/** `must not be empty` -> `Must not be empty.` */
const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`

/** Returns what is wrong by field, and what belongs to no field. */
export function errorsOf(issues: ApiError['issues']): {
  readonly byField: ReadonlyMap<string, string>
  readonly others: readonly string[]
} {
  const names = new Set<string>(FIELDS.map(({ name }) => name))
  const byField = new Map<string, string>()
  const others: string[] = []
  for (const { path, message } of issues) {
    const [name = ''] = path.split('.')
    if (names.has(name)) byField.set(name, [byField.get(name), sentence(message)].filter(Boolean).join(' '))
    else others.push(`${path}: ${message}`)
  }
  return { byField, others }
}

/** The fields of a request. */
export const Fields = ({ errors }: { readonly errors: ReadonlyMap<string, string> }) => (
  <>
    {FIELDS.map((field) => (
      <FormField field={field} error={errors.get(field.name) ?? ''} />
    ))}
    {/* Honeypot: people cannot see this field, but bots fill it in. */}
    <div class="hidden" aria-hidden="true">
      <input name={HONEYPOT} tabindex={-1} autocomplete="off" />
    </div>
  </>
)
