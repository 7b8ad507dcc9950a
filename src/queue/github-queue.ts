import pLimit from 'p-limit'
import * as z from 'zod'
import { type Queue, QueueError, RequestRecord } from './queue.ts'

/** A private repository that holds requests, and the token that opens it: contents, read and write, of it alone. */
export interface GitHubAddress {
  /** `https://api.github.com`, unless somewhere else plays its part. */
  readonly api: string
  /** `owner/name`. */
  readonly repository: string
  readonly branch: string
  readonly token: string
}

/** What the queue does not make itself. */
export interface GitHubEdge {
  readonly ask: typeof fetch
  /** Waits before a try that comes after another writer's. */
  readonly pause: (attempt: number) => Promise<unknown>
  readonly report: (error: unknown) => void
}

const FOLDER = 'requests'
/** Every failed attempt is another writer's success; with pauses between, this many are a queue of writers. */
const ATTEMPTS = 20
/** Requests of one caller at once; GitHub asks for few. */
const READS_AT_ONCE = 8

const Blob = z.object({ content: z.string(), sha: z.string() })
const Tree = z.object({
  truncated: z.boolean(),
  tree: z.array(z.object({ path: z.string(), type: z.string(), sha: z.string() })),
})

/**
 * A queue in a private repository, for functions on hosts without a disk: one file per request and a commit per change,
 * through the contents API, which refuses a change of what has changed meanwhile. The repository has to be private: records
 * hold what senders wrote. What was read once is kept by its digest, so a warm function reads only what is new.
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
      throw new QueueError(`${new URL(api).host}, which keeps the listing requests, cannot be reached`, { cause })
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

  /** Writes a file in place of the one with that digest, or as a new one; false where another writer came first. */
  async function put(record: RequestRecord, message: string, sha?: string): Promise<boolean> {
    const content = encoded(`${JSON.stringify(record, null, 2)}\n`)
    const response = await call(`contents/${pathOf(record.request_id)}`, {
      method: 'PUT',
      body: JSON.stringify({ message, content, branch, ...(sha === undefined ? {} : { sha }) }),
    })
    // 409: the branch moved, or the file did; 422: a file is there and no digest was given.
    if (response.status === 409 || response.status === 422) return false
    if (!response.ok) throw await refusal(response)
    return true
  }

  /** A commit message is not for the sender's words: it goes into mails and webhooks. */
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

  async function list(): Promise<readonly RequestRecord[]> {
    const response = await call(`git/trees/${encodeURIComponent(branch)}?recursive=1`)
    // A repository without a commit.
    if (response.status === 409) return []
    const { tree, truncated } = await bodyOf(response, Tree)
    if (truncated) throw new QueueError(`${repository} holds more files than one answer of GitHub does`)
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

  return { add, update, list, get: async (id) => (await newest(id))?.record ?? null }
}

const REQUEST = new RegExp(`^${FOLDER}/[0-9a-z-]{8,64}\\.json$`)

async function bodyOf<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  if (!response.ok) throw await refusal(response)
  const body = schema.safeParse(await response.json().catch(() => null))
  if (body.success) return body.data
  throw new QueueError('the repository of listing requests answers what cannot be read', { cause: body.error })
}

const WHY: Readonly<Record<number, string>> = {
  401: 'The token is not known, or no longer.',
  403: 'The token may not, or too much was asked in an hour.',
  404: 'There is no such repository or branch, or the token may not see it.',
  429: 'Too much was asked in an hour.',
}

async function refusal(response: Response): Promise<QueueError> {
  // An answer that nobody reads holds its connection.
  await response.body?.cancel()
  return new QueueError(
    `the repository of listing requests answers ${response.status}. ${WHY[response.status] ?? 'Try again later.'}`,
  )
}

const encoded = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))

const decoded = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0)))
