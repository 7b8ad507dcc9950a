/** What a host is documented not to do: its failures there are expected. */
export const HOSTS = {
  /** Answers the whole contract. */
  full: [],
  /** The whole contract from files and rules, but for limits that no file was written for: those need a program. */
  rules: ['limit 137'],
  /** GitHub Pages, a bucket, jsDelivr: the `.json` files and nothing that needs a program. */
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

/** One answer of a site, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined where the text is no JSON. */
  readonly json: unknown
}

/** Asks a site for a path below its base. */
export type Ask = (path: string, init?: RequestInit) => Promise<Answer>

/** A site on the net. `path` begins with a slash. @throws Error when it cannot be reached */
export const siteAt =
  (base: string, ask: typeof fetch): Ask =>
  async (path, init = {}) => {
    const url = base.replace(/\/$/, '') + path
    try {
      const response = await ask(url, { redirect: 'manual', ...init })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: jsonOf(text) }
    } catch (cause) {
      throw new Error(`${url} cannot be reached`, { cause })
    }
  }

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
