import { parseJson } from '../contract/read-json.ts'
import { MOST_FILE_BYTES } from '../tree/reader.ts'
import { textOf } from '../tree/remote.ts'

/** The checks that each kind of host is documented to fail. */
export const HOSTS = {
  /** Answers the whole contract. */
  full: [],
  /** Answers the whole contract from files and rules, except what needs a program: limits without a file, `ids`, `vs`, CSV. */
  rules: ['limit without a file', 'ids', 'vs', 'format'],
  /** Serves the `.json` files only, as GitHub Pages, a bucket or jsDelivr do. */
  static: [
    'query',
    'bare path',
    'trailing slash',
    'options',
    'method',
    'post',
    'error shape',
    'headers',
    'etag',
    'last-modified',
    'compression',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>
export type HostKind = keyof typeof HOSTS
export const HOST_KINDS: readonly string[] = Object.keys(HOSTS)
export const isHostKind = (text: string): text is HostKind => Object.hasOwn(HOSTS, text)

/** Time limit of one answer. */
const TIMEOUT_MS = 60_000

/** A response of a site with its whole body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined if the text is not JSON. */
  readonly json: unknown
}

/** Sends a request for a path below the base of a site. */
export type Ask = (path: string, init?: RequestInit) => Promise<Answer>

/** Returns a function that sends requests to a site. Its paths begin with a slash. It throws if the site cannot be reached. */
export const siteAt =
  (base: string, ask: typeof fetch): Ask =>
  async (path, init = {}) => {
    const url = base.replace(/\/$/, '') + path
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const { response, text } = await bodyOf(() => ask(url, { redirect: 'manual', signal, ...init })).catch(
      (cause: unknown) => {
        throw new Error(`${url} cannot be reached`, { cause })
      },
    )
    if (text === null) throw new Error(`${url} answers more than ${MOST_FILE_BYTES} bytes`)
    return { status: response.status, headers: response.headers, text, json: parseJson(text) }
  }

async function bodyOf(ask: () => Promise<Response>): Promise<{ response: Response; text: string | null }> {
  const response = await ask()
  return { response, text: response.body ? await textOf(response.body, MOST_FILE_BYTES) : '' }
}
