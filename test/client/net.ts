import { type ClientOptions, createClient } from '../../src/client/client.ts'

export const NOON = Date.UTC(2026, 10, 20, 12)
export const HOUR = 3_600_000
export const iso = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

/** What a made-up host says: an answer, that it is away, or nothing at all. */
export type Reply =
  | 'away'
  | 'silent'
  | { readonly status?: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
export type Host = (path: string) => Reply

export const envelope = (endpoint: string, members: Readonly<Record<string, unknown>> = {}) => ({
  ok: true,
  product: 'Quotetree',
  endpoint,
  timestamp: iso(NOON),
  sourceStatus: 'ok',
  sourceError: null,
  ...members,
})
export const headUntil = (staleAfter: number): Reply => ({
  body: envelope('head', { snapshotId: 'a', staleAfter: iso(staleAfter) }),
})
export const listOf = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  envelope('trending', { count: 1, total: 9, rows: [{ name }], ...more })
export const refusalOf = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
  endpoint = 'trending',
): Reply => ({
  status,
  headers,
  body: {
    ...listOf('x'),
    endpoint,
    ok: false,
    error: { code, message: 'No.', status, parameter: null, allowed: null },
  },
})
export const ABSENT: Reply = { status: 404, body: '<!doctype html><title>Not here</title>' }

export const HEAD = '/api/mkt/head.json'
export const TRENDING = '/api/mkt/trending.json'

/** A host that is up to date for an hour from noon and has one list, with its name in it; what else it says goes on top. */
export const fine =
  (name: string, more: Readonly<Record<string, Reply>> = {}): Host =>
  (path) =>
    ({ [HEAD]: headUntil(NOON + HOUR), [TRENDING]: { body: listOf(name) }, ...more })[path] ?? ABSENT

/** A net of made-up hosts that writes down what it is asked, and a client of it, whose clock only the test moves. */
export function netOf(hosts: Record<string, Host>, given: Partial<ClientOptions> = {}) {
  const asked: string[] = []
  const sent: RequestInit[] = []
  const clock = { now: NOON }
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { host, pathname } = new URL(input instanceof Request ? input.url : input)
    asked.push(host + pathname)
    sent.push(init)
    const reply = hosts[host]?.(pathname) ?? 'away'
    if (reply === 'away') throw new TypeError('fetch failed')
    // Without an ear for the signal, as a fetch of somebody's own may be.
    if (reply === 'silent') return new Promise(() => {})
    const { status = 200, body, headers = {} } = reply
    const tag = new Headers(init.headers).get('if-none-match')
    if (tag !== null && tag === headers['etag']) return new Response(null, { status: 304, headers })
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
  }
  const mirrors = Object.keys(hosts).map((host) => `https://${host}`)
  const client = createClient({ mirrors, fetch, now: () => clock.now, ...given })
  /** Documents that were asked for since this was called last, without the heads. */
  const news = () => asked.splice(0).filter((one) => !one.endsWith(HEAD))
  return { client, clock, asked, sent, news, hosts }
}
