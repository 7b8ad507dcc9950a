import { type Coding, encode } from './coding.ts'
import { isUnchanged } from './headers.ts'

/** Smaller bodies are sent as they are: a packet is a packet. */
const WORTH_ENCODING = 1024
const ENCODABLE = /^(text\/|application\/(json|xml|javascript|manifest\+json)|image\/svg\+xml)/

/** An answer as it can be sent any number of times, in any coding. */
export interface Answer {
  readonly status: number
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string | null
  readonly lastModified: string
  /** Whether a coding makes it smaller. */
  readonly encodable: boolean
  /** Each coding is made once. */
  readonly encoded: Map<Coding, Promise<Buffer>>
  /** What was sent before, to be sent again without another thought. */
  readonly ready: Map<Coding | null, Ready>
}

/** An answer in one coding, down to its header lines: names and values in turn. */
export interface Ready {
  readonly status: number
  readonly headers: string[]
  readonly body: Buffer
  readonly etag: string | null
  /** Header lines of the 304 in its place. */
  readonly unchanged: string[]
}

/** Takes in an answer whole. */
export async function answerOf(response: Response): Promise<Answer> {
  const body = Buffer.from(await response.arrayBuffer())
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'etag'))
  return {
    status: response.status,
    body,
    headers,
    etag: response.headers.get('etag'),
    lastModified: headers['last-modified'] ?? '',
    encodable: body.length >= WORTH_ENCODING && ENCODABLE.test(headers['content-type'] ?? ''),
    encoded: new Map(),
    ready: new Map(),
  }
}

/** What goes over the wire. */
export interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer | null
}

/**
 * An answer for one client. Every coding has a tag of its own, as strong tags must (RFC 9110 section 8.8.3.3); whatever
 * tag of the same content a client names, nothing changed for it. A 304 has the headers that a 200 would have.
 */
export async function forClient(answer: Answer, accepted: Coding | null, conditions: Headers | null): Promise<Sent> {
  const { status, etag, encodable } = answer
  const coding = encodable ? accepted : null
  const headers: Record<string, string | number> = { ...answer.headers }
  if (etag !== null) headers['etag'] = coding ? etag.replace(/"$/, `-${coding}"`) : etag
  if (status === 200 && conditions && etag !== null && isUnchanged(bare(conditions), etag, answer.lastModified))
    return { status: 304, headers, body: null }
  if (status === 204) return { status, headers, body: null }
  const body = coding ? await bodyIn(answer, coding) : answer.body
  if (coding) headers['content-encoding'] = coding
  headers['content-length'] = body.length
  return { status, headers, body }
}

/** An answer made ready in one coding, for all who accept it. */
export async function makeReady(answer: Answer, accepted: Coding | null): Promise<void> {
  const { status, headers, body } = await forClient(answer, accepted, null)
  const etag = headers['etag']
  const lines = (of: Readonly<Record<string, string | number>>) =>
    Object.entries(of).flatMap(([name, value]) => [name, String(value)])
  const { 'content-length': _, 'content-encoding': __, ...unchanged } = headers
  answer.ready.set(accepted, {
    status,
    headers: lines(headers),
    body: body ?? Buffer.alloc(0),
    etag: etag === undefined ? null : String(etag),
    unchanged: lines(unchanged),
  })
}

function bodyIn({ body, encoded }: Answer, coding: Coding): Promise<Buffer> {
  const known = encoded.get(coding)
  if (known) return known
  const made = encode(body, coding)
  encoded.set(coding, made)
  return made
}

/** Conditions with the tags of codings as the tags of what is coded. */
function bare(conditions: Headers): Headers {
  const tags = conditions.get('if-none-match')
  if (tags !== null) conditions.set('if-none-match', tags.replaceAll(/-(br|gzip)"/g, '"'))
  return conditions
}
