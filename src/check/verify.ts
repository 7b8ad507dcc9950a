import { sha256Of } from '../core/contract/digest.ts'
import type { ManifestRow } from '../core/contract/manifest.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { type Composition, type LastFiles, compose } from '../core/endpoints/compose.ts'
import { worldOf } from '../core/endpoints/world.ts'
import { misfits } from '../core/history/bars.ts'
import { timestampOf } from '../core/history/grid.ts'
import type { Rows, SiteRow } from '../core/history/rows.ts'
import { originalOf } from '../core/tree/layout.ts'
import { unpacked } from '../core/tree/precompressed.ts'
import { listIn } from '../core/tree/state.ts'
import { STATE, TableError, decodeTables } from '../core/tree/tables.ts'
import { type Comparison, comparisonFor } from './deviation.ts'
import { compareFigures } from './figures.ts'

export const CHECKS = [
  { check: 'tables', covers: 'the tables of rows and their digests' },
  { check: 'figures', covers: 'prices, rates and figures, from the evidence in the rows' },
  { check: 'bars', covers: 'bars of the last days, from what each venue reported' },
  { check: 'documents', covers: 'every file, composed again from the rows and compared byte for byte' },
  { check: 'others', covers: 'precompressed files, and files that no row lists' },
] as const

export interface CheckedFiles {
  readonly bytes: (file: string) => Promise<Uint8Array | null>
  /** Every file of the tree; null: the place cannot list its files. */
  readonly list: readonly string[] | null
}

interface Verifying {
  readonly compositionOf: (site: SiteRow) => Promise<Composition>
  readonly program: string
  readonly slugs: readonly string[]
}

export type Verification = Awaited<ReturnType<typeof verify>>

/** A tree or a site cannot be verified by this program. The message says why. */
export class VerifyError extends Error {
  override readonly name = 'VerifyError'
}

/** Computes figures again from the rows of a tree, composes every document, and compares bytes. */
export async function verify(files: CheckedFiles, verifying: Verifying) {
  const comparisons: Comparison[] = []
  const comparing = (check: (typeof CHECKS)[number]['check']): Comparison => {
    const comparison = comparisonFor(check)
    comparisons.push(comparison)
    return comparison
  }
  const rows = await readRows(files, comparing('tables'))
  let checked = 0
  if (rows?.site && rows.run) {
    const { program } = rows.site
    if (program !== verifying.program)
      throw new VerifyError(
        `The tree was written by version ${program} of this program, and this is version ${verifying.program}. Verify it ` +
          'with that version.',
      )
    const wanted = new Set(verifying.slugs)
    const unknown = verifying.slugs.find((slug) => !rows.listings.has(slug))
    if (unknown !== undefined)
      throw new VerifyError(`The tree has no asset "${unknown}". ${API_FOLDER}/assets lists its slugs.`)
    compareFigures(rows, wanted, comparing('figures'))
    compareBars(rows, comparing('bars'))
    const composition = await verifying.compositionOf(rows.site)
    const compared = await compareFiles(files, { rows, composition }, wanted, comparing('documents'))
    checked = compared.checked
    if (wanted.size === 0 && files.list) await compareOthers(files, files.list, compared.digests, comparing('others'))
  }
  const fragility = [...(rows?.listings.values() ?? [])].flatMap(({ asset: { slug, price_basis } }) =>
    price_basis.fragility_bp === null ? [] : [{ slug, fragility_bp: price_basis.fragility_bp }],
  )
  return {
    findings: comparisons.flatMap(({ findings }) => findings),
    figures: comparisons.reduce((sum, { figures }) => sum + figures(), 0),
    files: checked,
    listings: rows?.listings.size ?? 0,
    at: rows?.run?.at ?? null,
    fragility: fragility.toSorted((a, b) => b.fragility_bp - a.fragility_bp),
  }
}

const RESTORE = 'Copy the file back from a backup, or run npm run snapshot with --from and a place that has it.'

async function readRows({ bytes }: CheckedFiles, comparison: Comparison): Promise<Rows | null> {
  const text = await bytes(STATE.list)
  const list = listIn('The tree', text && new TextDecoder().decode(text))
  if (!list) throw new VerifyError(`The tree has no readable ${STATE.list}, so there is nothing to compare it with.`)
  const parts = new Map<string, Uint8Array>()
  for (const { path, sha256 } of list.parts) {
    // eslint-disable-next-line no-await-in-loop -- one part at a time, to bound memory
    const content = await bytes(path)
    const digest = content === null ? 'no such file' : sha256Of(content)
    const rule = `the digest in ${STATE.list}`
    comparison.compare(path, '', { published: digest, recomputed: sha256, rule, advice: RESTORE })
    if (content && digest === sha256) parts.set(path, content)
  }
  if (parts.size < list.parts.length) return null
  try {
    return decodeTables(list, ({ path }) => parts.get(path) ?? new Uint8Array())
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    const recomputed = 'rows of their schema'
    comparison.compare(STATE.list, '', { published: error.message, recomputed, rule: 'schema' })
    return null
  }
}

function compareBars({ past }: Rows, comparison: Comparison): void {
  for (const [slug, { bars }] of past)
    for (const [interval, series] of bars)
      for (const { start, reported } of misfits(series))
        comparison.compare(`${API_FOLDER}/candles/${slug}`, `${interval} ${timestampOf(start)}`, {
          published: series.columns.at('close_usd', start),
          recomputed: reported,
          rule: 'the bar follows from what each venue reported',
        })
}

async function compareFiles(
  { bytes }: CheckedFiles,
  { rows, composition }: { readonly rows: Rows; readonly composition: Composition },
  wanted: ReadonlySet<string>,
  comparison: Comparison,
) {
  const { documents, run } = rows
  const last: LastFiles = { documents, holds: () => false, changed: null }
  const list = (await bytes(STATE.list)) ?? new Uint8Array()
  const tables = { path: STATE.list, bytes: list.length, sha256: sha256Of(list), timestamp: run?.at ?? '' }
  const isWanted = ({ path }: ManifestRow) => wanted.size === 0 || path.split(/[/.]/).some((name) => wanted.has(name))
  let checked = 0
  const digests = new Map<string, string>([[STATE.list, tables.sha256]])
  for (const { content, ...row } of compose(composition, worldOf(rows), last, () => tables)) {
    digests.set(row.path, row.sha256)
    if (!isWanted(row)) continue
    checked++
    // eslint-disable-next-line no-await-in-loop -- one file at a time, to bound memory
    const published = await bytes(row.path)
    const rule = 'the same bytes as composed from the rows'
    const digest = published === null ? 'no such file' : sha256Of(published)
    comparison.compare(row.path, '', { published: digest, recomputed: row.sha256, rule, advice: AGAIN })
  }
  for (const path of documents.keys())
    if (!digests.has(path))
      comparison.compare(path, '', { published: 'a row', recomputed: 'no document', rule: 'a view of the rows' })
  return { checked, digests }
}

const AGAIN = 'Run npm run snapshot: it writes damaged and missing documents again.'

async function compareOthers(
  { bytes }: CheckedFiles,
  list: readonly string[],
  digests: ReadonlyMap<string, string>,
  comparison: Comparison,
): Promise<void> {
  for (const file of list) {
    const original = originalOf(file)
    const recomputed = digests.get(original)
    if (original !== file && recomputed !== undefined) {
      // eslint-disable-next-line no-await-in-loop -- one file at a time, to bound memory
      const content = unpacked(file, await bytes(file))
      const rule = `the content of ${original}`
      comparison.compare(file, '', { published: content && sha256Of(content), recomputed, rule, advice: AGAIN })
    } else if (original === file && recomputed === undefined && !file.startsWith(`${STATE.folder}/`))
      comparison.compare(file, '', { published: 'a file', recomputed: 'none', rule: 'a row of it', severity: 'notice' })
  }
}
