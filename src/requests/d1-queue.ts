import * as z from 'zod'
import { once } from '../contract/once.ts'
import { excerpt } from '../contract/visible.ts'
import { type Queue, QueueError, RequestRecord, type Version, queueOver } from './queue.ts'

/** A database with SQLite's SQL. It returns rows as objects. */
export type Sql = (statement: string, parameters: readonly (string | number)[]) => Promise<readonly unknown[]>

const TABLE = `CREATE TABLE IF NOT EXISTS listing_requests (
  request_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL DEFAULT 0,
  record TEXT NOT NULL
)`
const COLUMNS = 'request_id, version, record'

/**
 * Opens a queue in Cloudflare D1. KV is unsuitable: a write may take a minute to become visible elsewhere, and concurrent
 * writers overwrite each other, so requests could be duplicated, limits exceeded and reviews lost. A missing table is
 * created. Damaged rows go to `report` and are skipped.
 */
export function d1Queue(sql: Sql, report: (error: unknown) => void): Queue {
  const table = once(() => sql(TABLE, []))
  async function rows(statement: string, ...parameters: (string | number)[]): Promise<Version[]> {
    await table()
    return (await sql(statement, parameters)).flatMap((row) => rowOf(row, report) ?? [])
  }
  return queueOver({
    newest: async (id) => (await rows(`SELECT ${COLUMNS} FROM listing_requests WHERE request_id = ?`, id))[0] ?? null,
    async put(id, { number, record }) {
      const done =
        number === 0
          ? await rows(
              `INSERT INTO listing_requests (record, request_id) VALUES (?, ?) ON CONFLICT (request_id) DO NOTHING RETURNING ${COLUMNS}`,
              JSON.stringify(record),
              id,
            )
          : await rows(
              `UPDATE listing_requests SET record = ?, version = version + 1 WHERE request_id = ? AND version = ? RETURNING ${COLUMNS}`,
              JSON.stringify(record),
              id,
              number - 1,
            )
      return done.length > 0
    },
    async erase(id, { number }) {
      const erasure = `DELETE FROM listing_requests WHERE request_id = ? AND version = ? RETURNING ${COLUMNS}`
      return (await rows(erasure, id, number)).length > 0
    },
    list: async () =>
      (await rows(`SELECT ${COLUMNS} FROM listing_requests ORDER BY request_id`)).map(({ record }) => record),
  })
}

const Named = z.object({ request_id: z.string() })
const Kept = z.object({ version: z.int(), record: z.string() })

function rowOf(row: unknown, report: (error: unknown) => void): Version | null {
  try {
    const { version, record } = Kept.parse(row)
    return { number: version, record: RequestRecord.parse(JSON.parse(record)) }
  } catch (cause) {
    const id = Named.safeParse(row).data?.request_id ?? 'without an id'
    report(new Error(`a row of listing_requests could not be read: ${excerpt(id)}`, { cause }))
    return null
  }
}

/** The part of a D1 binding that a queue uses. */
export interface D1Binding {
  prepare(statement: string): {
    bind(...parameters: (string | number)[]): { all(): Promise<{ results: readonly unknown[] }> }
  }
}

/** Returns the database of a Worker's binding. */
export const bound =
  (binding: D1Binding): Sql =>
  async (statement, parameters) =>
    (
      await binding
        .prepare(statement)
        .bind(...parameters)
        .all()
    ).results

/** Address of a D1 database outside its Worker, and an API token. */
interface D1Address {
  /** `https://api.cloudflare.com/client/v4`, or a test server. */
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
