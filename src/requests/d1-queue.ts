import * as z from 'zod'
import { once } from '../core/contract/once.ts'
import { excerpt } from '../core/contract/visible.ts'
import { MAX_REQUESTS, type Queue, QueueError, type RowStore, StoredRow, queueIn } from './queue.ts'

/** A database with SQLite's SQL. It returns rows as objects. */
export type Sql = (statement: string, parameters: readonly (string | number)[]) => Promise<readonly unknown[]>

const TABLE = 'CREATE TABLE IF NOT EXISTS listing_requests (request_id TEXT PRIMARY KEY, record TEXT NOT NULL)'
const ROW = 'request_id AS id, record AS text'
const NEWEST = `SELECT ${ROW} FROM listing_requests ORDER BY rowid DESC LIMIT ${MAX_REQUESTS}`

/**
 * Opens a queue in Cloudflare D1: one row per request, changed only if it is still as it was read. KV is unsuitable: writers
 * overwrite each other, so requests could be duplicated, limits exceeded and reviews lost. A missing table is created.
 */
export function d1Queue(sql: Sql, report: (error: unknown) => void): Queue {
  const table = once(() => sql(TABLE, []))
  const rows = async (statement: string, ...parameters: string[]) => {
    await table()
    const { data } = z.array(StoredRow).safeParse(await sql(statement, parameters))
    if (data) return data
    throw new QueueError('The database answered with something else than listing requests. Check its table.')
  }
  function written(id: string, before: string | null, after: string | null) {
    const [unchanged, returned] = ['WHERE request_id = ? AND record = ?', `RETURNING ${ROW}`]
    if (before === null)
      return rows(`INSERT INTO listing_requests VALUES (?, ?) ON CONFLICT DO NOTHING ${returned}`, id, after ?? '')
    if (after === null) return rows(`DELETE FROM listing_requests ${unchanged} ${returned}`, id, before)
    return rows(`UPDATE listing_requests SET record = ? ${unchanged} ${returned}`, after, id, before)
  }
  const store: RowStore = {
    read: (id) =>
      id === undefined ? rows(NEWEST) : rows(`SELECT ${ROW} FROM listing_requests WHERE request_id = ?`, id),
    write: async (...change) => (await written(...change)).length > 0,
  }
  return queueIn(store, report)
}

export interface D1Binding {
  prepare(statement: string): {
    bind(...parameters: (string | number)[]): { all(): Promise<{ results: readonly unknown[] }> }
  }
}

export const bound =
  (binding: D1Binding): Sql =>
  async (statement, parameters) => {
    const prepared = binding.prepare(statement).bind(...parameters)
    return (await prepared.all()).results
  }

type D1Address = Readonly<Record<'api' | 'account' | 'database' | 'token', string>>

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
  ({ api, account, database, token }: D1Address, ask: typeof fetch, timeoutMs = 30_000): Sql =>
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
