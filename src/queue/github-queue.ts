import pLimit from 'p-limit'
import * as z from 'zod'
import { type Queue, QueueError, RequestRecord } from './queue.ts'

/** A private repository for requests, and a token with read and write access to its contents only. */
export interface GitHubAddress {
  /** `https://api.github.com`, or a test server. */
  readonly api: string
  /** `owner/name`. */
  readonly repository: string
  readonly branch: string
  readonly token: string
}

/** Dependencies of the queue. */
export interface GitHubEdge {
  readonly ask: typeof fetch
  /** Waits before a retry after another writer's change. */
  readonly pause: (attempt: number) => Promise<unknown>
  readonly report: (error: unknown) => void
}

const FOLDER = 'requests'
/** Every failed attempt is another writer's success. With pauses in between, this many are enough. */
const ATTEMPTS = 20
/** Maximum number of concurrent requests. GitHub asks for few. */
const READS_AT_ONCE = 8

const Blob = z.object({ content: z.string(), sha: z.string() })
const Tree = z.object({
  truncated: z.boolean(),
  tree: z.array(z.object({ path: z.string(), type: z.string(), sha: z.string() })),
})

/**
 * Opens a queue in a private repository, for functions on hosts without a disk: one file per request and one commit per
 * change, through the contents API, which rejects conflicting changes. The repository must be private, because records
 * hold contacts. Blobs are cached by their digest, so a warm function only reads new ones.
 * https://docs.github.com/en/rest/repos/contents
 */
export function githubQueue({ api, repository, branch, token }: GitHubAddress, edge: GitHubEdge): Queue {
  const { ask, pause, report } = edge
  const atOnce = pLimit(READS_AT_ONCE)
  let known = new Map<string, RequestRecord>()
  const pathOf = (id: string) => `${FOLDER}/${id}.json`

  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'quotetree',
    }
    try {
      return await ask(`${api}/repos/${repository}/${path}`, { ...init, headers })
    } catch (cause) {
      throw new QueueError(
        `${new URL(api).host}, which stores the listing requests, cannot be reached. Try again later.`,
        { cause },
      )
    }
  }

  function readable(text: string, sha: string, path: string): RequestRecord | null {
    try {
      const record = RequestRecord.parse(JSON.parse(text))
      known.set(sha, record)
      return record
    } catch (cause) {
      report(new Error(`${path} in ${repository} could not be read`, { cause }))
      return null
    }
  }

  async function newest(id: string): Promise<{ sha: string; record: RequestRecord | null } | null> {
    const response = await call(`contents/${pathOf(id)}?ref=${encodeURIComponent(branch)}`)
    if (response.status === 404) return null
    const { sha, content } = await bodyOf(response, Blob)
    return { sha, record: known.get(sha) ?? readable(decoded(content), sha, pathOf(id)) }
  }

  /** Replaces the file with that digest, or creates a new one. Returns false if another writer was faster. */
  async function put(record: RequestRecord, message: string, sha?: string): Promise<boolean> {
    const content = encoded(`${JSON.stringify(record, null, 2)}\n`)
    const response = await call(`contents/${pathOf(record.request_id)}`, {
      method: 'PUT',
      body: JSON.stringify({ message, content, branch, ...(sha === undefined ? {} : { sha }) }),
    })
    // 409: the branch or the file changed. 422: the file exists and no digest was given.
    if (response.status === 409 || response.status === 422) return false
    if (!response.ok) throw await refusal(response)
    return true
  }

  /** Adds a record. Commit messages never contain text of the sender: they go into mails and webhooks. */
  async function add(record: RequestRecord): Promise<RequestRecord> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await pause(attempt)
      const found = await newest(record.request_id)
      if (found?.record) return found.record
      if (await put(record, `Add listing request ${record.request_id}`, found?.sha)) return record
    }
    throw new QueueError(`${record.request_id} could not be added to ${repository} in ${ATTEMPTS} attempts`)
  }

  async function update(id: string, change: (record: RequestRecord) => RequestRecord): Promise<RequestRecord | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await pause(attempt)
      const found = await newest(id)
      if (!found?.record) return null
      const changed = change(found.record)
      if (await put(changed, `Change listing request ${id} to ${changed.status}`, found.sha)) return changed
    }
    throw new QueueError(`${id} could not be changed in ${repository} in ${ATTEMPTS} attempts`)
  }

  async function remove(id: string, isDue: (record: RequestRecord) => boolean): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await pause(attempt)
      const found = await newest(id)
      if (!found?.record || !isDue(found.record)) return false
      const response = await call(`contents/${pathOf(id)}`, {
        method: 'DELETE',
        body: JSON.stringify({ message: `Delete listing request ${id}`, branch, sha: found.sha }),
      })
      // 409: the branch or the file changed.
      if (response.status === 409) continue
      if (!response.ok) throw await refusal(response)
      return true
    }
    throw new QueueError(`${id} could not be deleted in ${repository} in ${ATTEMPTS} attempts`)
  }

  async function list(): Promise<readonly RequestRecord[]> {
    const response = await call(`git/trees/${encodeURIComponent(branch)}?recursive=1`)
    // 409: the repository is empty.
    if (response.status === 409) return []
    const { tree, truncated } = await bodyOf(response, Tree)
    if (truncated) throw new QueueError(`${repository} holds too many files for one answer of GitHub`)
    const files = tree.filter(({ path, type }) => type === 'blob' && REQUEST.test(path))
    const present = new Set(files.map(({ sha }) => sha))
    known = new Map([...known].filter(([sha]) => present.has(sha)))
    const records = await Promise.all(files.map((file) => atOnce(() => blob(file))))
    return records.filter((record) => record !== null)
  }

  async function blob({ sha, path }: { readonly sha: string; readonly path: string }): Promise<RequestRecord | null> {
    const before = known.get(sha)
    if (before) return before
    const { content } = await bodyOf(await call(`git/blobs/${sha}`), Blob)
    return readable(decoded(content), sha, path)
  }

  return { add, update, remove, list, get: async (id) => (await newest(id))?.record ?? null }
}

const REQUEST = new RegExp(`^${FOLDER}/[0-9a-z-]{8,64}\\.json$`)

async function bodyOf<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  if (!response.ok) throw await refusal(response)
  const body = schema.safeParse(await response.json().catch(() => null))
  if (body.success) return body.data
  throw new QueueError('The repository of listing requests returned an unreadable answer.', { cause: body.error })
}

const WHY: Readonly<Record<number, string>> = {
  401: 'The token is invalid or has expired.',
  403: 'The token lacks permission, or the hourly rate limit is exceeded.',
  404: 'The repository or branch does not exist, or the token has no access.',
  429: 'The hourly rate limit is exceeded.',
}

async function refusal(response: Response): Promise<QueueError> {
  // An unread body would hold its connection.
  await response.body?.cancel()
  return new QueueError(
    `The repository of listing requests answered ${response.status}. ${WHY[response.status] ?? 'Try again later.'}`,
  )
}

const encoded = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))

const decoded = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0)))
