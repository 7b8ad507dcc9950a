import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import pLimit from 'p-limit'
import { LAYOUT } from './layout.ts'

/** Suffixes of precompressed files: hosts send them as they are, to clients that accept the encoding. */
export const ENCODINGS = ['.gz', '.br'] as const
type Suffix = (typeof ENCODINGS)[number]

const WORTH = /\.(json|html|css|js|svg|xml|txt|csv|ndjson|webmanifest)$/
/** Smaller files fit into a packet as they are. */
const LEAST_BYTES = 1024

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)
// Effort 9 of 11: a tenth of the time for some percent more, and every half hour thousands of files change.
const BROTLI_EFFORT = 9
const ENCODERS: Readonly<Record<Suffix, (body: Buffer) => Promise<Buffer>>> = {
  '.gz': (body) => gzipped(body, { level: 9 }),
  '.br': (body) =>
    brotlied(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_EFFORT, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
}

/** Whether a tree has precompressed files: its index has one as long as any other file has. */
export const isPrecompressed = (root: string): boolean =>
  ENCODINGS.some((suffix) => existsSync(join(root, LAYOUT.index + suffix)))

/** Deletes the precompressed files of a file that is about to change: hosts would go on sending the old content. */
export function removePrecompressed(root: string, file: string): void {
  for (const suffix of ENCODINGS) rmSync(join(root, file + suffix), { force: true })
}

/** What precompressing did, in files and bytes. */
export interface Precompressed {
  readonly files: number
  readonly made: number
  readonly removed: number
  readonly bytes: number
  readonly encodedBytes: Readonly<Record<Suffix, number>>
}

/**
 * Precompresses every file of a tree that is worth it, in each encoding. A precompressed file has the time of its file and
 * is written again when they differ; it appears whole or not at all. Those of files that are gone are deleted.
 */
export async function precompress(root: string): Promise<Precompressed> {
  const all = filesIn(root)
  const files = all
    .filter((file) => WORTH.test(file) && statSync(join(root, file)).size >= LEAST_BYTES)
    .toSorted((a, b) => Number(b === LAYOUT.index) - Number(a === LAYOUT.index))
  const wanted = new Set(files.flatMap((file) => ENCODINGS.map((suffix) => file + suffix)))
  const stray = all.filter((file) => ENCODINGS.some((suffix) => file.endsWith(suffix)) && !wanted.has(file))
  for (const file of stray) rmSync(join(root, file), { force: true })
  const [index, ...rest] = files
  const sums = { made: 0, bytes: 0, encodedBytes: { '.gz': 0, '.br': 0 } }
  const one = async (file: string): Promise<void> => {
    for (const suffix of ENCODINGS) {
      const { made, bytes } = await encode(join(root, file), suffix)
      sums.made += Number(made)
      sums.encodedBytes[suffix] += bytes
    }
    const { size } = await stat(join(root, file))
    sums.bytes += size
  }
  // Alone and first: by those of the index a publication tells whether there are others to delete.
  if (index !== undefined) await one(index)
  const limit = pLimit(availableParallelism() * 2)
  await Promise.all(rest.map((file) => limit(() => one(file))))
  return { files: files.length, removed: stray.length, ...sums }
}

async function encode(path: string, suffix: Suffix): Promise<{ readonly made: boolean; readonly bytes: number }> {
  const { mtime, mtimeMs } = await stat(path)
  const present = await stat(path + suffix).catch(() => null)
  // A time that is set has whole milliseconds.
  if (present && Math.floor(present.mtimeMs) === Math.floor(mtimeMs)) return { made: false, bytes: present.size }
  const body = await ENCODERS[suffix](await readFile(path))
  const draft = join(dirname(path), `.${relative(dirname(path), path)}${suffix}.new`)
  try {
    await writeFile(draft, body)
    await utimes(draft, mtime, mtime)
    await rename(draft, path + suffix)
  } finally {
    await rm(draft, { force: true })
  }
  return { made: true, bytes: body.length }
}

function filesIn(root: string): string[] {
  const files: string[] = []
  const visit = (below: string) => {
    for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
      // What begins with a dot is not published.
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) visit(join(below, entry.name))
      else if (entry.isFile()) files.push(join(below, entry.name))
    }
  }
  visit('')
  return files
}
