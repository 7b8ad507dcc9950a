import * as z from 'zod'
import type { Sql } from './d1-queue.ts'
import { QueueError } from './queue.ts'

/** Where a D1 database is for who is not its Worker, and the token that opens it. */
export interface D1Address {
  /** `https://api.cloudflare.com/client/v4`, unless somewhere else plays its part. */
  readonly api: string
  readonly account: string
  readonly database: string
  readonly token: string
}

const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })).default([]),
  result: z.array(z.object({ results: z.array(z.unknown()).default([]) })).default([]),
})

/**
 * A D1 database through Cloudflare's API, for reviewers and builds, which run outside of it.
 * https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/query/
 */
export const overApi =
  ({ api, account, database, token }: D1Address, ask: typeof fetch): Sql =>
  async (sql, params) => {
    const response = await ask(`${api}/accounts/${account}/d1/database/${database}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ sql, params }),
    })
    const answer = Answer.safeParse(await response.json().catch(() => null))
    if (answer.success && answer.data.success) return answer.data.result[0]?.results ?? []
    const why = answer.data?.errors.map(({ message }) => message).join('; ')
    throw new QueueError(
      `the database of listing requests answers ${response.status}${why ? `: ${why}` : ''}. Check account, database and token.`,
    )
  }
