import * as z from 'zod'
import { once } from '../core/contract/once.ts'
import { excerpt } from '../core/contract/visible.ts'
import { MAX_REQUESTS, type Queue, QueueError, RequestRecord } from './queue.ts'

/** A database with SQLite's SQL. It returns rows as objects. */
export type Sql = (statement: string, parameters: readonly (string | number)[]) => Promise<readonly unknown[]>

const TABLE = 'CREATE TABLE IF NOT EXISTS listing_requests (request_id TEXT PRIMARY KEY, record TEXT NOT NULL)'
const ROW = 'request_id, record'
const NEWEST = `SELECT ${ROW} FROM listing_requests ORDER BY rowid DESC LIMIT ${MAX_REQUESTS}`

/** Every failed attempt is another writer's success, so this many in a row indicate a different problem. */
const ATTEMPTS = 100

/**
 * Opens a queue in Cloudflare D1: one row per request, changed only if it is still as it was read. KV is unsuitable: writers
 * overwrite each other, so requests could be duplicated, limits exceeded and reviews lost. A missing table is created.
 * Damaged rows go to `report` and are skipped.
 */
export function d1Queue(sql: Sql, report: (error: unknown) => void): Queue {
  const table = once(() => sql(TABLE, []))
  const rows = async (statement: string, ...parameters: string[]) => {
    await table()
    return (await sql(statement, parameters)).flatMap((row) => rowOf(row, report) ?? [])
  }
  const find = async (id: string) =>
    (await rows(`SELECT ${ROW} FROM listing_requests WHERE request_id = ?`, id))[0] ?? null
  return {
    get: async (id) => (await find(id))?.record ?? null,
    list: async () => (await rows(NEWEST)).map(({ record }) => record),
    async add(record) {
      const id = record.request_id
      const insertion = 'INSERT INTO listing_requests (request_id, record) VALUES (?, ?) ON CONFLICT DO NOTHING'
      await rows(insertion, id, JSON.stringify(record))
      const kept = await find(id)
      if (!kept) throw new QueueError(`The row of ${id} in listing_requests cannot be read. Check the row.`)
      return kept.record
    },
    async update(id, change) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const found = await find(id)
        if (!found) return null
        const after = change(found.record)
        const where = `WHERE request_id = ? AND record = ? RETURNING ${ROW}`
        const done = after
          ? await rows(`UPDATE listing_requests SET record = ? ${where}`, JSON.stringify(after), id, found.text)
          : await rows(`DELETE FROM listing_requests ${where}`, id, found.text)
        if (done.length > 0) return after
      }
      throw new QueueError(`${id} could not be changed in ${ATTEMPTS} attempts. Run again when fewer others write.`)
    },
  }
}

const Row = z.object({ request_id: z.string(), record: z.string() })

function rowOf(row: unknown, report: (error: unknown) => void) {
  try {
    const text = Row.parse(row).record
    return { text, record: RequestRecord.parse(JSON.parse(text)) }
  } catch (cause) {
    const id = Row.pick({ request_id: true }).safeParse(row).data?.request_id ?? 'without an id'
    report(new Error(`a row of listing_requests could not be read: ${excerpt(id)}`, { cause }))
    return null
  }
}

export interface D1Binding {
  prepare(statement: string): {
    bind(...parameters: (string | number)[]): { all(): Promise<{ results: readonly unknown[] }> }
  }
}

export const bound =
  (binding: D1Binding): Sql =>
  async (statement, parameters) =>
    (
      await binding
        .prepare(statement)
        .bind(...parameters)
        .all()
    ).results

interface D1Address {
  readonly api: string
  readonly account: string
  readonly database: string
  readonly token: string
}

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
