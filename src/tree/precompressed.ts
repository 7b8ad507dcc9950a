import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import pLimit from 'p-limit'
import { LAYOUT } from './layout.ts'

/** Suffixes of precompressed files, which hosts send unchanged to clients that accept the encoding. */
export const ENCODINGS = ['.gz', '.br'] as const
type Suffix = (typeof ENCODINGS)[number]

const COMPRESSIBLE = /\.(json|html|css|js|svg|xml|txt|csv|ndjson|webmanifest)$/
/** Smaller files fit into one packet uncompressed. */
const LEAST_BYTES = 1024

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)
// 9 of 11: a tenth of the time for a few percent more bytes. Thousands of files change every half hour.
const BROTLI_EFFORT = 9
/**
 * Returns the binary logarithm of the smallest window that spans a file (RFC 7932 section 9.1). The default of 4 MiB sets
 * up as much memory for every file, which takes several times as long as compressing a small one.
 */
const windowFor = (bytes: number): number =>
  Math.min(
    constants.BROTLI_DEFAULT_WINDOW,
    Math.max(constants.BROTLI_MIN_WINDOW_BITS, Math.ceil(Math.log2(bytes + 16))),
  )
const ENCODERS: Readonly<Record<Suffix, (body: Buffer) => Promise<Buffer>>> = {
  '.gz': (body) => gzipped(body, { level: 9 }),
  '.br': (body) =>
    brotlied(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_EFFORT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        [constants.BROTLI_PARAM_LGWIN]: windowFor(body.length),
      },
    }),
}

/** Whether a tree has precompressed files. The index has them whenever any other file does. */
export const isPrecompressed = (root: string): boolean =>
  ENCODINGS.some((suffix) => existsSync(join(root, LAYOUT.index + suffix)))

/** Deletes the precompressed files of a file that is about to change, because hosts would still send the old content. */
export function removePrecompressed(root: string, file: string): void {
  for (const suffix of ENCODINGS) rmSync(join(root, file + suffix), { force: true })
}

/** The result of precompressing, in files and bytes. */
export interface Precompressed {
  readonly files: number
  readonly made: number
  readonly removed: number
  readonly bytes: number
  readonly encodedBytes: Readonly<Record<Suffix, number>>
}

/**
 * Precompresses every file of a tree that is large and compressible enough, in each encoding. A precompressed file has the
 * modification time of its file and is written again, atomically, when they differ. Deletes those without a file.
 */
export async function precompress(root: string): Promise<Precompressed> {
  const all = filesIn(root)
  const files = all
    .filter((file) => COMPRESSIBLE.test(file) && statSync(join(root, file)).size >= LEAST_BYTES)
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
  // First and alone, because a publication looks at those of the index to tell whether there are others to delete.
  if (index !== undefined) await one(index)
  const limit = pLimit(availableParallelism() * 2)
  await Promise.all(rest.map((file) => limit(() => one(file))))
  return { files: files.length, removed: stray.length, ...sums }
}

async function encode(path: string, suffix: Suffix): Promise<{ readonly made: boolean; readonly bytes: number }> {
  const { mtime, mtimeMs } = await stat(path)
  const present = await stat(path + suffix).catch(() => null)
  // utimes only sets whole milliseconds.
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
      // Names that begin with a dot are temporary and not published.
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) visit(join(below, entry.name))
      else if (entry.isFile()) files.push(join(below, entry.name))
    }
  }
  visit('')
  return files
}
