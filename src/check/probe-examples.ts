import * as z from 'zod'
import { filesIn, folderOfBlock } from '../contract/blocks.ts'
import {
  type EndpointSpec,
  type Key,
  documentPath,
  fileOf,
  pathKey,
  pickingParameter,
} from '../contract/endpoint-spec.ts'
import { API_FOLDER, PREFIX } from '../contract/prefix.ts'
import type { Ask } from './probe-site.ts'

const Manifest = z.object({ rows: z.array(z.object({ path: z.string() })) })
const Rows = z.object({ rows: z.array(z.record(z.string(), z.unknown())) })
const Rates = z.object({ rows: z.array(z.object({ symbol: z.string() })) })

/** `api/mkt/history/bitcoin/days=7.json` -> `/history/bitcoin` */
const DOCUMENT = new RegExp(`^${API_FOLDER}(/.*?)(?:/[^/]*=[^/]*)?\\.json$`)
const pathOf = (file: string): string | readonly [] => DOCUMENT.exec(file)?.[1] ?? []

/** Requests that a site has documents for: no listing, chain or source is in every tree. */
export interface Examples {
  /** Returns the path parameters of a document of an endpoint, its own example where the tree has it; null: it has none. */
  keyOf(this: void, spec: EndpointSpec): Promise<Key | null>
  /** Currencies that amounts can be converted to, in lower case: dollars, and another one if there is a rate. */
  readonly currencies: readonly string[]
}

/** Returns the examples of a site, by its manifest, its blocks and its rates. */
export async function examplesAt(ask: Ask): Promise<Examples> {
  const files = (Manifest.safeParse((await ask(`${PREFIX}/manifest.json`)).json).data?.rows ?? []).map(
    ({ path }) => path,
  )
  const blocks = new Map(files.map((file) => [folderOfBlock(file), file]))
  blocks.delete(null)
  const inBlocks = await Promise.all([...blocks.values()].map(async (file) => filesIn((await ask(`/${file}`)).text)))
  const paths = new Set([...files, ...inBlocks.flat()].flatMap(pathOf))
  const rates = Rates.safeParse((await ask(`${PREFIX}/rates.json`)).json).data?.rows ?? []
  const other = rates.map(({ symbol }) => symbol.toLowerCase()).find((symbol) => symbol !== 'usd')

  async function keyOf(spec: EndpointSpec): Promise<Key | null> {
    if (!spec.path.includes('/:')) return {}
    const document = { ...spec, path: documentPath(spec) }
    const [own = ''] = spec.example.split('?')
    const picking = pickingParameter(spec)
    const candidates = [own, own.slice(0, own.lastIndexOf('/')), ...paths]
    const keys = candidates.filter((path) => paths.has(path)).map((path) => pathKey(document, path))
    const key = keys.find((one) => one !== null) ?? null
    if (key === null || picking === null) return key
    const rows = Rows.safeParse((await ask(`/${fileOf(spec, key)}`)).json).data?.rows ?? []
    const values = rows.map((row) => String(row[picking.member]))
    const value = values.find((one) => own.endsWith(`/${one}`)) ?? values[0]
    return value === undefined ? null : { ...key, [picking.name]: value }
  }
  return { keyOf, currencies: ['usd', ...(other === undefined ? [] : [other])] }
}
