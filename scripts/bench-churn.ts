import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { type EndpointSpec, limitParameter } from '../src/contract/endpoint-spec.ts'
import { API_FOLDER } from '../src/contract/prefix.ts'
import { published } from '../src/endpoints/table.ts'
import { snapshot } from '../src/run/snapshot.ts'
import { sampleSources } from '../src/sources/sample/sample.ts'
import { sampleRun } from './sample-run.ts'

const HALF_HOUR = 30 * 60_000

/** What the changed files of one endpoint cost. */
export interface Churn {
  readonly name: string
  /** Files that changed, of those there are. */
  readonly changed: number
  readonly files: number
  readonly bytes: number
  /** With br at quality 5. */
  readonly compressed: number
}

/** The files that two runs in a row changed: with new prices, and with the same answers of the sources. */
export interface ChurnFigures {
  readonly news: readonly Churn[]
  readonly noNews: readonly Churn[]
}

/** Measures the third of three half-hourly runs of the sample's listings, and a fourth with the same answers. */
export async function benchChurn(root: string, at: number, listings: number): Promise<ChurnFigures> {
  for (const after of [0, HALF_HOUR]) await snapshot(sampleRun(root, at + after, listings))
  const second = digestsIn(root)
  await snapshot(sampleRun(root, at + 2 * HALF_HOUR, listings))
  const news = churnOf(root, second)
  const third = digestsIn(root)
  const sources = sampleSources(at + 2 * HALF_HOUR, listings)
  await snapshot({ ...sampleRun(root, at + 3 * HALF_HOUR, listings), sources })
  return { news, noNews: churnOf(root, third) }
}

/** The files of a tree by name, without hidden ones. */
const filesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.startsWith('.') && statSync(join(root, file)).isFile(),
  )

const digestsIn = (root: string): ReadonlyMap<string, string> =>
  new Map(
    filesIn(root).map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(root, file)))
        .digest('hex'),
    ]),
  )

function churnOf(root: string, before: ReadonlyMap<string, string>): readonly Churn[] {
  const now = digestsIn(root)
  const nameOf = namesByFile(published)
  const sums = new Map<string, { changed: number; files: number; bytes: number; compressed: number }>()
  for (const [file, digest] of now) {
    const name = nameOf(file)
    const sum = sums.get(name) ?? { changed: 0, files: 0, bytes: 0, compressed: 0 }
    sums.set(name, sum)
    sum.files++
    if (before.get(file) === digest) continue
    const text = readFileSync(join(root, file))
    sum.changed++
    sum.bytes += text.length
    sum.compressed += brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length
  }
  return [...sums].map(([name, sum]) => ({ name, ...sum })).toSorted((a, b) => b.compressed - a.compressed)
}

/** Returns the name of a file's endpoint, with its parameter if that has a value. */
function namesByFile(specs: readonly EndpointSpec[]): (file: string) => string {
  const patterns = specs.map((spec) => {
    const path = `${API_FOLDER}${spec.path}`.replaceAll(/:[a-z_]+/g, '[^/=]+')
    return [spec, new RegExp(`^${path}(?:/([a-z]+)=([^/]+))?\\.json$`)] as const
  })
  return (file) => {
    for (const [spec, pattern] of patterns) {
      const [found, parameter, value] = pattern.exec(file) ?? []
      if (found === undefined) continue
      if (parameter === undefined) return spec.name
      return `${spec.name}?${parameter}=${parameter === limitParameter(spec) ? '' : value}`
    }
    return file.startsWith('schemas/') ? 'schemas' : (file.split('/').at(-1) ?? file)
  }
}
