import { gzipSync } from 'node:zlib'
import { group } from 'd3-array'
import { compare, by } from '../contract/order.ts'
import { type EndpointSpec, fileParameters } from '../contract/endpoint-spec.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import type { Document } from '../endpoints/compose.ts'
import { HOST_LIMITS, type Host, type HostLimit, type Limited } from './host-limits.ts'
import { TreeError } from '../tree/tree-error.ts'

/** Limits of a host; null if its documentation names none. */
export interface Budget {
  /** Files that one run may write. It decides the layout; a tree is not refused for it, since the first run writes all. */
  readonly writes: number | null
  readonly files: number | null
  readonly bytes: number | null
  readonly file_bytes: number | null
  readonly folder_files: number | null
}

/** Returns the limits of a tree's size on a host. */
function budgetOf(host: Host): Budget {
  const limits: readonly HostLimit[] = HOST_LIMITS[host]
  const most = (of: Limited): number | null => limits.find((limit) => limit.of === of)?.most ?? null
  return {
    writes: most('writes_per_run'),
    files: most('files'),
    bytes: most('bytes'),
    file_bytes: most('file_bytes'),
    folder_files: most('folder_files'),
  }
}

/** Limits of a tree's size on each host. */
export const HOST_BUDGETS: Readonly<Record<Host, Budget>> = {
  cloudflare: budgetOf('cloudflare'),
  'cloudflare-paid': budgetOf('cloudflare-paid'),
  'github-pages': budgetOf('github-pages'),
  netlify: budgetOf('netlify'),
  vercel: budgetOf('vercel'),
  'vercel-pro': budgetOf('vercel-pro'),
  bucket: budgetOf('bucket'),
  'r2-free': budgetOf('r2-free'),
}

/** Files and bytes of one endpoint's documents. */
interface Share {
  readonly endpoint: string
  readonly files: number
  readonly bytes: number
}

/** Size of a tree. */
export interface Footprint {
  readonly files: number
  readonly bytes: number
  readonly largest: { readonly path: string; readonly bytes: number } | null
  readonly fullest: { readonly folder: string; readonly files: number } | null
  /** By bytes, largest first. Files beside the API count as `attachments`. */
  readonly endpoints: readonly Share[]
}

/** Returns the size of a tree with these files. */
export function footprintOf(rows: readonly ManifestRow[], specs: readonly EndpointSpec[]): Footprint {
  const endpointOf = endpointsByFile(specs)
  const shares = new Map<string, { endpoint: string; files: number; bytes: number }>()
  const folders = new Map<string, number>()
  let bytes = 0
  let largest: ManifestRow | null = null
  for (const row of rows) {
    bytes += row.bytes
    if (row.bytes > (largest?.bytes ?? -1)) largest = row
    const folder = row.path.slice(0, Math.max(0, row.path.lastIndexOf('/')))
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
    const endpoint = endpointOf(row.path)
    const share = shares.get(endpoint) ?? { endpoint, files: 0, bytes: 0 }
    shares.set(endpoint, { endpoint, files: share.files + 1, bytes: share.bytes + row.bytes })
  }
  const [fullest] = [...folders].toSorted(([, a], [, b]) => b - a)
  return {
    files: rows.length,
    bytes,
    largest: largest && { path: largest.path, bytes: largest.bytes },
    fullest: fullest ? { folder: fullest[0], files: fullest[1] } : null,
    endpoints: [...shares.values()].toSorted((a, b) => b.bytes - a.bytes || compare(a.endpoint, b.endpoint)),
  }
}

/** Returns a phrase per exceeded limit. */
export function excess({ files, bytes, largest, fullest }: Footprint, budget: Budget): string[] {
  const over = (value: number, most: number | null) => most !== null && value > most
  return [
    ...(over(files, budget.files) ? [`${files} files, ${budget.files} are allowed`] : []),
    ...(over(bytes, budget.bytes) ? [`${bytes} bytes in total, ${budget.bytes} are allowed`] : []),
    ...(largest && over(largest.bytes, budget.file_bytes)
      ? [`${largest.path} has ${largest.bytes} bytes, ${budget.file_bytes} are allowed in one file`]
      : []),
    ...(fullest && over(fullest.files, budget.folder_files)
      ? [`${fullest.folder} holds ${fullest.files} files, ${budget.folder_files} are allowed in one folder`]
      : []),
  ]
}

/** Share of a limit that triggers a warning. */
const NEAR = 0.8

/** Returns a sentence per limit of which the tree uses more than 80 %. */
export function nearLimits(footprint: Omit<Footprint, 'endpoints'>, budget: Budget): string[] {
  const tell = (what: string, value: number, most: number | null): string[] =>
    most === null || value <= NEAR * most ? [] : [`${what}: ${value} of ${most}, ${Math.round((value / most) * 100)} %`]
  return [
    ...tell('Files in the tree', footprint.files, budget.files),
    ...tell('Bytes in the tree', footprint.bytes, budget.bytes),
    ...tell(`Bytes of ${footprint.largest?.path}`, footprint.largest?.bytes ?? 0, budget.file_bytes),
    ...tell(`Files in ${footprint.fullest?.folder}`, footprint.fullest?.files ?? 0, budget.folder_files),
  ]
}

/** Returns each host with the limits that the tree exceeds. */
export const hostsFor = (footprint: Footprint): readonly { readonly host: string; readonly excess: string[] }[] =>
  Object.entries(HOST_BUDGETS)
    // A bucket takes any tree; its budget is a choice.
    .filter(([host]) => host !== 'bucket')
    .map(([host, budget]) => ({ host, excess: excess(footprint, budget) }))

/**
 * Yields the same documents and records them in `ledger`. After the last one the size is checked, so a publication that
 * exceeds its budget throws before it has changed anything.
 *
 * @throws TreeError `over_budget`
 */
export function* withinBudget(
  documents: Iterable<Document>,
  budget: Budget | null,
  ledger: ManifestRow[],
): Generator<Document> {
  for (const document of documents) {
    const { text: _, ...row } = document
    ledger.push(row)
    yield document
  }
  const over = budget === null ? [] : excess(footprintOf(ledger, []), budget)
  if (over.length > 0)
    throw new TreeError(
      'over_budget',
      `The tree would exceed its budget, so the last one is kept: ${over.join('; ')}. Collect fewer listings with ` +
        '--listings, or choose a host with higher limits with --budget.',
    )
}

/** Number of samples per endpoint, spread over file sizes: files of one kind and size compress alike. */
const SAMPLES = 4

/**
 * Estimates the gzip size of the tree. A few files per endpoint, evenly spread by size, are compressed as samples of files
 * of similar size. Compressing all would take several seconds per run.
 */
export function estimateCompressed(
  rows: readonly ManifestRow[],
  specs: readonly EndpointSpec[],
  read: (file: string) => string | null,
): number {
  const endpointOf = endpointsByFile(specs)
  let compressed = 0
  for (const alike of group(rows, ({ path }) => endpointOf(path)).values()) {
    const bySize = alike.toSorted(by((row) => row.bytes))
    const width = Math.ceil(bySize.length / SAMPLES)
    for (let start = 0; start < bySize.length; start += width) {
      const stratum = bySize.slice(start, start + width)
      const sample = stratum[Math.floor(stratum.length / 2)]
      const text = sample && read(sample.path)
      const ratio = sample && text ? gzipSync(text).byteLength / sample.bytes : 1
      compressed += ratio * stratum.reduce((sum, { bytes }) => sum + bytes, 0)
    }
  }
  return Math.round(compressed)
}

function endpointsByFile(specs: readonly EndpointSpec[]): (file: string) => string {
  const patterns = specs
    .filter(({ method }) => method === 'GET')
    .map((spec) => {
      const path = `${API_FOLDER}${spec.path}`.replaceAll(/:[a-z_]+/g, '[^/=]+')
      const query = fileParameters(spec).map(([name]) => `(/${name}=[^/]+)?`)
      return [spec.name, new RegExp(`^${path}${query.join('')}\\.json$`)] as const
    })
  return (file) => patterns.find(([, pattern]) => pattern.test(file))?.[0] ?? 'attachments'
}
