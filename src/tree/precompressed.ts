import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import pLimit from 'p-limit'
import { PREFIX } from '../contract/words.ts'

/** Ends of the names of twins: the same content in a coding, for hosts that send such files as they are. */
export const TWINS = ['.gz', '.br'] as const
type Twin = (typeof TWINS)[number]

const INDEX = `${PREFIX.slice(1)}.json`
const WORTH = /\.(json|html|css|js|svg|xml|txt|csv|ndjson|webmanifest)$/
/** Smaller files fit into a packet as they are. */
const LEAST_BYTES = 1024

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)
// Effort 9 of 11: a tenth of the time for some percent more, and every half hour thousands of files change.
const BROTLI_EFFORT = 9
const ENCODERS: Readonly<Record<Twin, (body: Buffer) => Promise<Buffer>>> = {
  '.gz': (body) => gzipped(body, { level: 9 }),
  '.br': (body) =>
    brotlied(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_EFFORT, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
}

/** Whether a tree has twins: its index has one from the first to the last. */
export const hasTwins = (root: string): boolean => TWINS.some((twin) => existsSync(join(root, INDEX + twin)))

/** Takes away the twins of a file that is about to change: an old twin beside a new file is a lie. */
export function dropTwins(root: string, file: string): void {
  for (const twin of TWINS) rmSync(join(root, file + twin), { force: true })
}

/** What was made. */
export interface Compressed {
  readonly files: number
  readonly made: number
  readonly removed: number
  readonly bytes: number
  readonly twinBytes: Readonly<Record<Twin, number>>
}

/**
 * Gives every file of a tree that is worth it a twin in each coding. A twin has the time of its file and is made again when
 * they differ; it appears whole or not at all. Twins of files that are gone go too.
 */
export async function compress(root: string): Promise<Compressed> {
  const all = filesIn(root)
  const files = all
    .filter((file) => WORTH.test(file) && statSync(join(root, file)).size >= LEAST_BYTES)
    .toSorted((a, b) => Number(b === INDEX) - Number(a === INDEX))
  const wanted = new Set(files.flatMap((file) => TWINS.map((twin) => file + twin)))
  const stray = all.filter((file) => TWINS.some((twin) => file.endsWith(twin)) && !wanted.has(file))
  for (const file of stray) rmSync(join(root, file), { force: true })
  const [index, ...rest] = files
  const sums = { made: 0, bytes: 0, twinBytes: { '.gz': 0, '.br': 0 } }
  const one = async (file: string): Promise<void> => {
    for (const twin of TWINS) {
      const { made, bytes } = await twinOf(join(root, file), twin)
      sums.made += Number(made)
      sums.twinBytes[twin] += bytes
    }
    const { size } = await stat(join(root, file))
    sums.bytes += size
  }
  // Alone and first: by its twins a publication tells whether there are others to take away.
  if (index !== undefined) await one(index)
  const limit = pLimit(availableParallelism() * 2)
  await Promise.all(rest.map((file) => limit(() => one(file))))
  return { files: files.length, removed: stray.length, ...sums }
}

async function twinOf(path: string, twin: Twin): Promise<{ readonly made: boolean; readonly bytes: number }> {
  const { mtime, mtimeMs } = await stat(path)
  const present = await stat(path + twin).catch(() => null)
  // A time that is set has whole milliseconds.
  if (present && Math.floor(present.mtimeMs) === Math.floor(mtimeMs)) return { made: false, bytes: present.size }
  const body = await ENCODERS[twin](await readFile(path))
  const draft = join(dirname(path), `.${relative(dirname(path), path)}${twin}.new`)
  try {
    await writeFile(draft, body)
    await utimes(draft, mtime, mtime)
    await rename(draft, path + twin)
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
