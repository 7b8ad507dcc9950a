/** Makes or reads one file that somebody hands in, named by the argument, and prints the peak of memory in MiB. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { decodeBundle } from '../../src/core/sources/bundle.ts'
import type { DenseFile } from './memory.ts'

const [name = '', folder = '', work = ''] = process.argv.slice(2)
const isMaking = work === 'make'
const MB = 2 ** 20

const filled = (part: string, bytes: number): string => part.repeat(Math.floor(bytes / part.length))
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
