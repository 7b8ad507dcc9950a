import { greatest, sum } from 'd3-array'
import * as z from 'zod'
import type { ManifestRow } from '../contract/manifest.ts'
import type { Document } from '../endpoints/compose.ts'
import { TreeError } from './tree-error.ts'

/** Null: the documentation of the host names no limit. */
export interface Budget {
  readonly files: number | null
  readonly bytes: number | null
  readonly file_bytes: number | null
}

export const Footprint = z.object({
  files: z.number(),
  bytes: z.number(),
  largest: z.object({ path: z.string(), bytes: z.number() }).nullable(),
})
export type Footprint = z.infer<typeof Footprint>

export function footprintOf(rows: readonly Pick<ManifestRow, 'path' | 'bytes'>[]): Footprint {
  const largest = greatest(rows, (row) => row.bytes)
  return {
    files: rows.length,
    bytes: sum(rows, (row) => row.bytes),
    largest: largest ? { path: largest.path, bytes: largest.bytes } : null,
  }
}

/** What is limited: its value, the limit, and how phrases name it and what is allowed. */
export const measured = ({ files, bytes, largest }: Footprint, budget: Budget) =>
  [
    { value: files, most: budget.files, what: 'Files in the tree', over: `${files} files`, of: '' },
    { value: bytes, most: budget.bytes, what: 'Bytes in the tree', over: `${bytes} bytes in total`, of: '' },
    {
      value: largest?.bytes ?? 0,
      most: budget.file_bytes,
      what: `Bytes of ${largest?.path}`,
      over: `${largest?.path} has ${largest?.bytes} bytes`,
      of: ' in one file',
    },
  ].flatMap(({ most, ...rest }) => (most === null ? [] : [{ ...rest, most }]))

export const excess = (footprint: Footprint, budget: Budget): string[] =>
  measured(footprint, budget).flatMap(({ value, most, over, of }) =>
    value > most ? [`${over}, ${most} are allowed${of}`] : [],
  )

/**
 * Yields the same documents. After the last one the size is checked, so a publication that exceeds its budget throws before
 * it has changed anything.
 *
 * @throws TreeError `over_budget`
 */
export function* withinBudget(documents: Iterable<Document>, budget: Budget | undefined): Generator<Document> {
  const ledger: Pick<ManifestRow, 'path' | 'bytes'>[] = []
  for (const document of documents) {
    ledger.push({ path: document.path, bytes: document.bytes })
    yield document
  }
  const over = budget ? excess(footprintOf(ledger), budget) : []
  if (over.length > 0)
    throw new TreeError(
      'over_budget',
      `The tree would exceed its budget, so the last one is kept: ${over.join('; ')}. Collect fewer listings with ` +
        '--listings, or choose a host with higher limits with --budget.',
    )
}
