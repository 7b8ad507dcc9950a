import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import { Timestamp } from '../contract/words.ts'
import type { Attachment } from '../endpoints/attachment.ts'
import { hoursSince, isoOf } from '../feed/time.ts'
import type { Currency, Http, Source } from '../sources/source.ts'
import { SourceError } from '../sources/source-error.ts'

/** Hours until a venue's list of currencies is requested again, and until one that could not be had is tried again. */
export const CURRENCY_LISTS = { refresh_hours: 24, retry_hours: 6 } as const

const Row = z.object({
  symbol: z.string(),
  name: z.string().nullable(),
  contracts: z.array(z.object({ platform: z.string(), address: z.string(), decimals: z.number().nullable() })),
})
const StoredList = z.object({
  source_id: z.string(),
  /** When these rows were had; null: never. */
  fetched_at: Timestamp.nullable(),
  attempted_at: Timestamp,
  rows: z.array(Row),
})
type StoredList = z.infer<typeof StoredList>

/** The lists of a run, and the files that keep them for the next one. */
export interface CurrencyLists {
  /** By venue and symbol. */
  readonly lists: ReadonlyMap<string, ReadonlyMap<string, Currency>>
  readonly files: readonly Attachment[]
  readonly failures: readonly SourceError[]
}

/** Where the list of a venue is kept in the tree. */
const fileFor = (source_id: string): string => `run/currencies/${source_id}.json`

/** What requesting the lists takes. */
interface Request {
  /** Sources that may be asked. */
  readonly sources: readonly Source[]
  /** Ids of the sources whose lists are kept and used, asked or not. */
  readonly keep: readonly string[]
  readonly read: (file: string) => string | null
  readonly connect: (source: Source) => Http
  readonly now: number
}

/**
 * The venues' lists of currencies: from the tree while they are fresh, else requested again. A list that cannot be had
 * stays as it was: currencies change seldom.
 */
export async function currencyLists({ sources, keep, read, connect, now }: Request): Promise<CurrencyLists> {
  const failures: SourceError[] = []
  const able = new Map(sources.map((source) => [source.id, source] as const))
  const stored = await Promise.all(
    keep.map(async (id): Promise<StoredList | null> => {
      const old = readJson(read(fileFor(id)), StoredList)
      const ask = able.get(id)?.currencies
      const source = able.get(id)
      if (!source || !ask || !isDue(old, now)) return old
      try {
        const rows = await ask(connect(source))
        return {
          source_id: id,
          fetched_at: isoOf(now),
          attempted_at: isoOf(now),
          rows: rows.map((row) => Row.parse(row)),
        }
      } catch (cause) {
        failures.push(errorOf(id, cause))
        return { source_id: id, fetched_at: old?.fetched_at ?? null, attempted_at: isoOf(now), rows: old?.rows ?? [] }
      }
    }),
  )
  const all = stored.filter((list) => list !== null)
  return {
    lists: new Map(
      all.map(({ source_id, rows }) => [source_id, new Map(rows.map((row) => [row.symbol, row] as const))] as const),
    ),
    files: all.map((list) => ({ path: fileFor(list.source_id), text: print(list) })),
    failures,
  }
}

function isDue(old: StoredList | null, now: number): boolean {
  if (old === null) return true
  const isFresh = old.fetched_at !== null && hoursSince(old.fetched_at, now) < CURRENCY_LISTS.refresh_hours
  return (
    !isFresh && (old.fetched_at === old.attempted_at || hoursSince(old.attempted_at, now) >= CURRENCY_LISTS.retry_hours)
  )
}

const errorOf = (id: string, cause: unknown): SourceError =>
  cause instanceof SourceError
    ? cause
    : new SourceError('source_invalid', `${id}: its list of currencies could not be read`, { cause })

/** One row a line, so that a difference shows what changed. */
const print = ({ rows, ...head }: StoredList): string =>
  `${JSON.stringify(head).slice(0, -1)},"rows":[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`
