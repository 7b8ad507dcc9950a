import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { ManifestRow } from '../../src/core/contract/manifest.ts'
import { readJson } from '../../src/core/contract/read-json.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { ask, onDisk } from '../service/world.ts'

const Journal = z.object({ put: z.array(z.tuple([z.string(), z.string()])) })

const textIn = (root: string, file: string): string | null => {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return null
  }
}

const Stated = z.object({ sha256: z.object({ manifest: z.string(), collector: z.string() }) })
const Listed = z.object({ rows: z.array(ManifestRow) })

export function digestsIn(root: string): ReadonlyMap<string, string> {
  const index = textIn(root, 'api/mkt.json')
  const stated = readJson(index, Stated)?.sha256
  const manifest = textIn(root, 'api/mkt/manifest.json')
  if (index === null || manifest === null || !stated || sha256Of(manifest) !== stated.manifest) return new Map()
  const parts = readJson(manifest, Listed)?.rows ?? []
  const rows = parts.flatMap(({ path }) => readJson(textIn(root, path), Listed)?.rows ?? [])
  return new Map([
    ...[...parts, ...rows].map(({ path, sha256 }) => [path, sha256] as const),
    ['api/mkt.json', sha256Of(index)],
    ['api/mkt/manifest.json', stated.manifest],
    ['api/mkt/collector.json', stated.collector],
  ])
}

/** Digests of the documents of a publication that was interrupted while its files were moved. */
export const digestsOnTheirWay = (root: string): ReadonlyMap<string, string> =>
  new Map(readJson(textIn(root, '.journal'), Journal)?.put)

/** Reads a tree as the users of a server do, while it is published, damaged and killed. */
export class Reader {
  readonly #context: ReturnType<typeof onDisk>
  readonly #server: Listening | null
  #clock = 0

  private constructor(context: ReturnType<typeof onDisk>, server: Listening | null) {
    this.#context = context
    this.#server = server
  }

  /** A reader of a folder: over a socket with the answers cached, or of the handler itself. */
  static async of(root: string, isRemote: boolean): Promise<Reader> {
    let reader: Reader | null = null
    // A clock that makes the server look for a new publication at every request.
    const context = onDisk(root, () => (reader ? (reader.#clock += 1000) : 0))
    reader = new Reader(context, isRemote ? await listen(context, '127.0.0.1', 0) : null)
    return reader
  }

  /** Reads files, and says which answers are of none of these publications; `damaged` files were broken since. */
  async faults(
    files: readonly string[],
    editions: () => readonly ReadonlyMap<string, string>[],
    damaged: ReadonlySet<string>,
  ): Promise<string[]> {
    const answers = await Promise.all(files.map(async (file) => ({ file, ...(await this.#read(file)) })))
    const known = editions()
    return answers.flatMap(({ file, status, text }) => {
      if (damaged.has(file)) return []
      if (status === 500) return [`${file} is answered with 500`]
      const digests = known.flatMap((edition) => edition.get(file) ?? [])
      if (status === 200)
        return digests.includes(sha256Of(text)) ? [] : [`${file} is served torn, or of no publication`]
      return known.every((edition) => edition.has(file)) && known.length > 0
        ? [`${file} is answered with ${status}`]
        : []
    })
  }

  async #read(file: string): Promise<{ readonly status: number; readonly text: string }> {
    const path = `/${file}`
    const response = await (this.#server ? fetch(`${this.#server.url}${path}`) : ask(path, {}, this.#context))
    return { status: response.status, text: await response.text() }
  }

  async close(): Promise<void> {
    await this.#server?.close()
  }
}
