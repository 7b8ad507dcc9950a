import pLimit from 'p-limit'
import * as z from 'zod'
import { type EndpointSpec, type Key, documentPath, pathKey, pickingParameter } from '../contract/endpoint-spec.ts'
import { isPart } from '../contract/manifest-parts.ts'
import { API_FOLDER, PREFIX } from '../contract/prefix.ts'
import { LAYOUT } from '../tree/layout.ts'
import type { Ask } from './probe-site.ts'

const PARTS_AT_ONCE = 16

const Index = z.object({
  layout: z.unknown(),
  endpoints: z.array(z.object({ path: z.string(), example: z.string() })),
})
const Files = z.object({ rows: z.array(z.object({ path: z.string() })) })
const Rates = z.object({ rows: z.array(z.object({ symbol: z.string() })) })

/** `api/mkt/history/bitcoin/days=7.json` -> `/history/bitcoin` */
const DOCUMENT = new RegExp(`^${API_FOLDER}(/.*?)(?:/[^/]*=[^/]*)?\\.json$`)

/** Requests that a site has documents for: no listing, chain or source is in every tree. */
export interface Examples {
  /** Returns the path parameters of a document of an endpoint; null: the site has none. */
  keyOf(this: void, spec: EndpointSpec): Key | null
  /** Currencies that amounts can be converted to, in lower case: dollars, and another one if there is a rate. */
  readonly currencies: readonly string[]
}

/** Returns the examples of a site: those of its index, or else the first document that its manifest lists. */
export async function examplesAt(ask: Ask, index: unknown): Promise<Examples> {
  const filesIn = async (list: string): Promise<string[]> =>
    Files.safeParse((await ask(`/${list}`)).json).data?.rows.map(({ path }) => path) ?? []
  const [parts, rates] = await Promise.all([filesIn(LAYOUT.manifest), ask(`${PREFIX}/rates.json`)])
  const limit = pLimit(PARTS_AT_ONCE)
  const files = await Promise.all(parts.map(async (file) => (isPart(file) ? limit(() => filesIn(file)) : [file])))
  const { endpoints = [], layout = null } = Index.safeParse(index).data ?? {}
  const examples = new Map(endpoints.map(({ path, example }) => [path, example.split('?')[0] ?? '']))
  const paths = files.flat().flatMap((path) => DOCUMENT.exec(path)?.[1] ?? [])
  const symbols = (Rates.safeParse(rates.json).data?.rows ?? []).map(({ symbol }) => symbol.toLowerCase())

  function keyOf(spec: EndpointSpec): Key | null {
    if (!spec.path.includes('/:')) return {}
    const document = { ...spec, path: documentPath(spec) }
    const keys = paths.map((path) => pathKey(document, path)).filter((key) => key !== null)
    const own = pathKey(spec, (examples.get(PREFIX + spec.path) ?? '').slice(PREFIX.length))
    // The manifest does not list the documents in blocks, and an index without any has the declared example.
    if (own !== null && (keys.length > 0 || layout !== null)) return own
    return pickingParameter(spec) ? null : (keys[0] ?? null)
  }
  const other = symbols.find((symbol) => symbol !== 'usd')
  return { keyOf, currencies: ['usd', ...(other === undefined ? [] : [other])] }
}
