/** Makes or reads one file that somebody hands in, named by the argument, and prints the peak of memory in MiB. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { filesIn } from '../../src/contract/blocks.ts'
import { sha256Of } from '../../src/contract/digest.ts'
import { decodeBundle } from '../../src/sources/bundle.ts'
import { lastState } from '../../src/tree/restore-newest.ts'
import { CHECKPOINT, LAYOUT } from '../../src/tree/layout.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { restore } from '../../src/tree/restore.ts'
import { Tree } from '../../src/tree/tree.ts'
import { ZipFile, deflate } from '../../src/tree/write-zip.ts'
import type { DenseFile } from './memory.ts'

const [name = '', folder = '', work = ''] = process.argv.slice(2)
const isMaking = work === 'make'
const MB = 2 ** 20
const TIME = '2026-11-20T12:00:00Z'

const filled = (part: string, bytes: number): string => part.repeat(Math.floor(bytes / part.length))
const indexWith = (manifest: string): string =>
  JSON.stringify({
    timestamp: TIME,
    generatedAt: TIME,
    sha256: { manifest: sha256Of(manifest), collector: sha256Of('{}') },
  })

/** Restores a tree whose manifest has these rows, as many as it may have bytes. */
function manifestOf(rows: string): Promise<unknown> {
  const manifest = `{"timestamp":"${TIME}","rows":[${filled(rows, 31 * MB)}0]}`
  const files = new Map([
    [LAYOUT.index, indexWith(manifest)],
    [LAYOUT.manifest, manifest],
    [LAYOUT.collector, '{}'],
  ])
  const read = async (file: string, most = Infinity) => {
    const text = files.get(file)
    return text === undefined || text.length > most ? null : text
  }
  return restore(new Tree(folder), read, async () => {})
}

/** A checkpoint of 1.5 MB whose documents these are. */
function checkpointOf(
  texts: () => readonly string[],
  paths: readonly string[] = [LAYOUT.index, LAYOUT.manifest, LAYOUT.collector],
): unknown {
  const from = join(folder, 'from')
  if (!isMaking) {
    const place = placeAt(from, { timeoutMs: 0, attempts: 1, pause: async () => {} })
    return lastState(new Tree(join(folder, 'to')), [place], Date.parse(TIME))
  }
  const zip = new ZipFile()
  const noise = Array.from({ length: 50_000 }, (_, at) => sha256Of(String(at))).join('')
  for (const [at, text] of texts().entries()) zip.add(deflate({ path: paths[at] ?? '', text }))
  zip.add(deflate({ path: 'z.json', text: noise }))
  const bytes = zip.end()
  const file = `${sha256Of(bytes)}.zip`
  const pointer = { generatedAt: TIME, snapshotId: 'a', bytes: bytes.length, parts: [{ file, bytes: bytes.length }] }
  mkdirSync(join(from, CHECKPOINT.folder), { recursive: true })
  writeFileSync(join(from, CHECKPOINT.folder, file), bytes)
  return writeFileSync(join(from, CHECKPOINT.pointer), JSON.stringify(pointer))
}

/** A recording with as many of the rows of another as its text may have bytes. */
function recordingOf(): unknown {
  const file = join(folder, 'recording')
  if (!isMaking) {
    const bytes = readFileSync(file)
    return decodeBundle({ name: `x-${sha256Of(bytes)}.ndjson.gz`, bytes })
  }
  const recordings = new URL('../fixtures/bundles/', import.meta.url)
  const own = readdirSync(recordings).find((one) => one.endsWith('.gz')) ?? ''
  const text = gunzipSync(readFileSync(new URL(own, recordings))).toString('utf8')
  const [head = '', ...rows] = text.trim().split('\n')
  return writeFileSync(file, gzipSync(`${head}\n${filled(`${rows.join('\n')}\n`, 47 * MB)}`))
}

const READ: Readonly<Record<DenseFile, () => unknown>> = {
  'a manifest of zeros': () => manifestOf('0,'),
  'a manifest of empty rows': () => manifestOf('{},'),
  'a manifest of short texts': () => manifestOf('"0123456789abcdef",'),
  'a manifest of rows that all are wrong': () => manifestOf('{"path":"","bytes":-1,"sha256":"","timestamp":""},'),
  'a manifest of nested lists': () => manifestOf('['),
  'a checkpoint with a head of 64 MB': () => checkpointOf(() => [`\u20ac${filled('x', 63 * MB)}`]),
  'a checkpoint of dense documents': () => checkpointOf(() => [filled('{},', 30 * MB), filled('0,', 30 * MB), '{}']),
  'a checkpoint of tiny documents': () =>
    checkpointOf(() => [`{\n${filled('"a":\n1\n,\n', 60 * MB)}"b":\n1\n}\n`], ['groups/a']),
  'a block of names': async () => filesIn(filled('\n"a":\n', 60 * MB)),
  'a recording at its limit': () => recordingOf(),
}

const isDense = (text: string): text is DenseFile => Object.hasOwn(READ, text)

async function print(): Promise<void> {
  if (!isDense(name)) throw new Error(name)

  let ends = 'read'
  try {
    await READ[name]()
  } catch (error) {
    ends = String(error)
  }
  console.log(JSON.stringify({ peakMiB: Math.round(process.resourceUsage().maxRSS / 1024), ends }))
}
void print()
