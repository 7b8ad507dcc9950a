import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BundleHeader, ObservationRow } from '../../src/core/contract/observations.ts'
import {
  type BundleRead,
  type Bundle,
  type BundleLimits,
  type NamedFile,
  BundleError,
  decodeBundle,
  encodeBundle,
} from '../../src/core/sources/bundle.ts'
import type { RunReport } from '../../src/core/run/run.ts'
import { type Run, leanRun, newFolder } from '../sample-tree.ts'

export async function observedRun(
  given: Partial<Run> = {},
): Promise<{ root: string; bundle: Bundle; report: RunReport }> {
  const root = given.root ?? newFolder()
  let bundle: Bundle | null = null
  const report = await leanRun(root, { record: (own) => (bundle = own), ...given })
  if (bundle === null) throw new Error('the run observed nothing')
  return { root, bundle, report }
}

export function readOf(file: NamedFile, limits?: BundleLimits): BundleRead {
  try {
    return { name: file.name, result: decodeBundle(file, limits) }
  } catch (error) {
    if (error instanceof BundleError) return { name: file.name, result: error }
    throw error
  }
}

/** A bundle with other facts. No source of it is collected after its clock. */
export function withHeader(bundle: Bundle, header: Partial<BundleHeader>): Bundle {
  const { clock, sources } = { ...bundle.header, ...header }
  const dated = sources.map((source) => ({ ...source, clock: Math.min(source.clock, clock) }))
  return { ...bundle, header: { ...bundle.header, ...header, sources: dated } }
}

/** The bundle of the rows and sources of one part. Lists go where `partOf` says; each past row where its own number says. */
export function part(
  bundle: Bundle,
  number: number,
  of: { list(id: string): number; past(row: number): number },
): Bundle {
  const rows = new Map<string, readonly ObservationRow[]>()
  let past = 0
  for (const [id, own] of bundle.rows)
    rows.set(
      id,
      own.filter((row) => (row.kind === 'past' ? of.past(past++) : of.list(id)) === number),
    )
  const sources = bundle.header.sources.flatMap((source) => {
    const own = rows.get(source.source_id) ?? []
    const listed = of.list(source.source_id) === number
    return listed || own.length > 0
      ? [{ ...source, listed, rows: own.length, requests: listed ? source.requests : 0 }]
      : []
  })
  return { header: { ...bundle.header, sources }, rows }
}

export const partition = (
  bundle: Bundle,
  parts: number,
  of: { list(id: string): number; past(row: number): number },
): NamedFile[] =>
  Array.from({ length: parts }, (_, number) => part(bundle, number, of))
    .filter(({ header }) => header.sources.length > 0)
    .map(encodeBundle)

export const filesOf = (root: string): Map<string, string> =>
  new Map(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(root, name)).isFile())
      .toSorted()
      .map((name) => [name, readFileSync(join(root, name), 'latin1')]),
  )

export const bitcoinIn = (root: string): unknown =>
  JSON.parse(readFileSync(join(root, 'api/mkt/assets/bitcoin.json'), 'utf8'))
