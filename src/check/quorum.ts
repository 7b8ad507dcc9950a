import * as z from 'zod'
import { agreementOf } from '../contract/quorum.ts'
import { readJson } from '../contract/read-json.ts'
import { PREFIX } from '../contract/prefix.ts'
import { Timestamp } from '../contract/words.ts'
import type { TreeReader } from '../tree/reader.ts'

const Prices = z.object({ timestamp: Timestamp, prices: z.record(z.string(), z.number().positive()) })
const FILE = `${PREFIX.slice(1)}/prices.json`

/** A publisher of the feed. */
export interface Publisher {
  readonly name: string
  readonly read: TreeReader
}

/** A publisher whose price of a listing differs from the median. */
export interface Deviation {
  readonly slug: string
  readonly publisher: string
  readonly price: number
  readonly median: number
  readonly bp: number
}

/** What publishers of one feed agree on. */
export interface Quorum {
  /** Time of the data of each publisher that answered. */
  readonly answered: ReadonlyMap<string, string>
  /** Why the others did not. */
  readonly failures: ReadonlyMap<string, string>
  /** Listings that at least two publishers price. */
  readonly compared: number
  /** Largest first. */
  readonly deviations: readonly Deviation[]
  /** Listings that one publisher alone prices, by publisher. */
  readonly alone: ReadonlyMap<string, number>
}

/** Compares the prices of independent publishers of one feed. */
export async function quorumOf(publishers: readonly Publisher[], toleranceBp: number): Promise<Quorum> {
  const answered = new Map<string, string>()
  const failures = new Map<string, string>()
  const bySlug = new Map<string, [string, number][]>()
  for (const { name, list, failure } of await Promise.all(publishers.map(listOf))) {
    if (!list) {
      failures.set(name, failure)
      continue
    }
    answered.set(name, list.timestamp)
    for (const [slug, price] of Object.entries(list.prices))
      bySlug.set(slug, [...(bySlug.get(slug) ?? []), [name, price]])
  }
  const alone = new Map<string, number>()
  const deviations: Deviation[] = []
  for (const [slug, prices] of bySlug) {
    const [[only] = ['']] = prices
    if (prices.length === 1) alone.set(only, (alone.get(only) ?? 0) + 1)
    const { median, deviating } = agreementOf(prices, toleranceBp)
    deviations.push(...deviating.map((one) => ({ slug, median, ...one })))
  }
  return {
    answered,
    failures,
    compared: [...bySlug.values()].filter(({ length }) => length > 1).length,
    deviations: deviations.toSorted((a, b) => b.bp - a.bp || (a.slug < b.slug ? -1 : 1)),
    alone,
  }
}

async function listOf({ name, read }: Publisher) {
  try {
    const list = readJson(await read(FILE), Prices)
    return { name, list, failure: 'it has no list of prices' }
  } catch (error) {
    return { name, list: null, failure: error instanceof Error ? error.message : String(error) }
  }
}
