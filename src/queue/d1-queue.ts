import * as z from 'zod'
import { type Queue, RequestRecord } from './queue.ts'

/** A database that answers SQL of SQLite: rows as objects, none for a statement without rows. */
export type Sql = (statement: string, parameters: readonly (string | number)[]) => Promise<readonly unknown[]>

const TABLE = `CREATE TABLE IF NOT EXISTS listing_requests (
  request_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL DEFAULT 0,
  record TEXT NOT NULL
)`
const COLUMNS = 'request_id, version, record'

/** Every failed attempt is another writer's success, so this many in a row mean that something else is wrong. */
const ATTEMPTS = 100

interface Row {
  readonly version: number
  readonly record: RequestRecord
}

/**
 * A queue in Cloudflare D1. Not KV: there a write shows elsewhere up to a minute later and two writers overwrite each other,
 * so that requests would double, limits would not hold, and a review could be lost. The table is made when it is missing. A
 * damaged row is told to `report`, and the rest goes on.
 */
export function d1Queue(sql: Sql, report: (error: unknown) => void): Queue {
  let table: Promise<unknown> | null = null
  async function rows(statement: string, ...parameters: (string | number)[]): Promise<Row[]> {
    table ??= sql(TABLE, [])
    // A table that could not be made is tried again with the next request.
    await table.catch((error: unknown) => {
      table = null
      throw error
    })
    return (await sql(statement, parameters)).flatMap((row) => rowOf(row, report) ?? [])
  }
  const newest = async (id: string): Promise<Row | null> =>
    (await rows(`SELECT ${COLUMNS} FROM listing_requests WHERE request_id = ?`, id))[0] ?? null

  async function add(record: RequestRecord): Promise<RequestRecord> {
    await rows(
      'INSERT INTO listing_requests (request_id, record) VALUES (?, ?) ON CONFLICT (request_id) DO NOTHING',
      record.request_id,
      JSON.stringify(record),
    )
    const kept = await newest(record.request_id)
    if (!kept) throw new Error(`${record.request_id} is in the table listing_requests, and cannot be read`)
    return kept.record
  }

  async function update(id: string, change: (record: RequestRecord) => RequestRecord): Promise<RequestRecord | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = await newest(id)
      if (!before) return null
      const changed = change(before.record)
      const done = await rows(
        `UPDATE listing_requests SET record = ?, version = version + 1 WHERE request_id = ? AND version = ? RETURNING ${COLUMNS}`,
        JSON.stringify(changed),
        id,
        before.version,
      )
      if (done.length > 0) return changed
    }
    throw new Error(`${id} could not be changed in ${ATTEMPTS} attempts`)
  }

  return {
    add,
    update,
    get: async (id) => (await newest(id))?.record ?? null,
    list: async () =>
      (await rows(`SELECT ${COLUMNS} FROM listing_requests ORDER BY request_id`)).map(({ record }) => record),
  }
}

const Kept = z.object({ version: z.int(), record: z.string() })

function rowOf(row: unknown, report: (error: unknown) => void): Row | null {
  try {
    const { version, record } = Kept.parse(row)
    return { version, record: RequestRecord.parse(JSON.parse(record)) }
  } catch (cause) {
    report(new Error(`a row of listing_requests could not be read: ${JSON.stringify(row).slice(0, 60)}`, { cause }))
    return null
  }
}

/** As much of a D1 binding as a queue needs. */
export interface D1Binding {
  prepare(statement: string): {
    bind(...parameters: (string | number)[]): { all(): Promise<{ results: readonly unknown[] }> }
  }
}

/** The database that a Worker is bound to. */
export const bound =
  (binding: D1Binding): Sql =>
  async (statement, parameters) =>
    (
      await binding
        .prepare(statement)
        .bind(...parameters)
        .all()
    ).results
