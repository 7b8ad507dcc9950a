import * as z from 'zod'
import { excerpt } from '../contract/visible.ts'
import type { Sql } from './d1-queue.ts'
import { QueueError } from './queue.ts'

/** Address of a D1 database outside its Worker, and an API token. */
interface D1Address {
  /** `https://api.cloudflare.com/client/v4`, or a test server. */
  readonly api: string
  readonly account: string
  readonly database: string
  readonly token: string
}

/** Time limit of a query. */
const TIMEOUT_MS = 30_000

/** A refusal has `null` in place of its result. */
const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })).nullish(),
  result: z.array(z.object({ results: z.array(z.unknown()).default([]) })).nullish(),
})

/**
 * Queries a D1 database through Cloudflare's API, for reviewers and builds, which run outside the Worker.
 * https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/query/
 */
export const overApi =
  ({ api, account, database, token }: D1Address, ask: typeof fetch, timeoutMs = TIMEOUT_MS): Sql =>
  async (sql, params) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await ask(`${api}/accounts/${account}/d1/database/${database}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ sql, params }),
      signal,
    }).catch(refuse)
    const answer = Answer.safeParse(await response.json().catch((error) => (signal.aborted ? refuse(error) : null)))
    if (answer.success && answer.data.success) return answer.data.result?.[0]?.results ?? []
    const why = excerpt(answer.data?.errors?.map(({ message }) => message).join('; ') ?? '')
    throw new QueueError(
      `The database of listing requests answered ${response.status}${why ? `: ${why}` : ''}. Check account, database and token.`,
    )
  }

function refuse(cause: unknown): never {
  const message = 'The database of listing requests cannot be reached. Check the network, and run again.'
  throw new QueueError(message, { cause })
}
