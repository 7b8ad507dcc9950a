import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import * as z from 'zod'
import { Asset } from '../../src/contract/asset.ts'
import { openRegistry } from '../../src/registry/registry.ts'
import type { RunReport } from '../../src/run/run.ts'
import { SAMPLE_SPELLINGS } from '../../src/sources/sample/sample.ts'
import { OWN_DATA } from '../../src/sources/rights.ts'
import { NO_FIGURES, type Source } from '../../src/sources/source.ts'
import { lastPublication } from '../../src/tree/last-publication.ts'
import { profileSlug } from '../../src/tree/layout.ts'
import { Tree } from '../../src/tree/tree.ts'
import { type Run, NOON, NO_REQUESTS, leanRegistry, newFolder, sampleRun } from '../sample-tree.ts'
import { rowsIn, textsOf } from './manifest-texts.ts'

const FOLDER = new URL('../fixtures/trees/', import.meta.url)

/** Commits of the program that published the trees of the fixtures, each on 2026-11-20 at 11:30. */
export const PUBLISHERS = readdirSync(FOLDER).map((file) => basename(file, '.ndjson.br'))

const Line = z.object({ path: z.string(), text: z.string() })

/** Writes the tree that a commit published into a new folder, with the times of its files. */
export function treeOf(commit: string): string {
  const root = newFolder()
  const lines = brotliDecompressSync(readFileSync(new URL(`${commit}.ndjson.br`, FOLDER))).toString('utf8')
  const files = lines.split('\n').flatMap((line) => (line === '' ? [] : Line.parse(JSON.parse(line))))
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const { path, timestamp } of rowsIn(textsOf(root)))
    utimesSync(join(root, path), new Date(timestamp), new Date(timestamp))
  return root
}

/** Reads a document of a tree as it is on the disk. */
export const documentIn = <Schema extends z.ZodType>(root: string, file: string, schema: Schema): z.infer<Schema> =>
  schema.parse(JSON.parse(readFileSync(join(root, file), 'utf8')))

const FACTS = {
  type: 'aggregator',
  host: 'sample.invalid',
  pace: { requests: 1, perSeconds: 1 },
  rights: OWN_DATA,
} as const

/** Returns an aggregator that reports the listings of a tree with the prices that they have. */
function sameAgain(root: string, id: string, at: number): Source {
  const assets = [...lastPublication(new Tree(root)).listings.values()].map(({ asset }) => asset)
  return {
    ...FACTS,
    id,
    label: id,
    observe: async () =>
      assets.flatMap(({ listing_status, replaced_by, external_ids, symbol, name, price_usd }) => {
        const own = external_ids[id]
        if (own === undefined || replaced_by !== null || listing_status === 'delisted') return []
        return { kind: 'sighting', ...NO_FIGURES, id: own, slugs: [], symbol, name, price_usd, at }
      }),
  }
}

/** Extends a tree of a fixture by a run at noon, half an hour after its last, from sources that report the same again. */
export function continued(root: string, given: Partial<Run> = {}): Promise<RunReport> {
  const { assets } = leanRegistry()
  const [pattern] = assets
  if (!pattern) throw new Error('the lean registry is empty')
  const renamed = {
    ...pattern,
    slug: 'binancecoin-renamed',
    symbol: 'BNB',
    name: 'BNB',
    contracts: [],
    exchange_symbols: {},
  }
  return sampleRun(root, {
    sources: ['sample', 'sample-index'].map((id) => sameAgain(root, id, NOON)),
    registry: openRegistry({
      label: 'sample registry',
      assets: [...assets, { ...renamed, external_ids: { coingecko: 'binancecoin' } }],
      spelledAs: SAMPLE_SPELLINGS,
    }),
    history: NO_REQUESTS,
    ...given,
  })
}

/** Returns the profiles of a tree as they are on the disk, in any version, by slug. */
export function profilesIn(root: string): ReadonlyMap<string, z.infer<typeof AnyProfile>['asset']> {
  const files = readdirSync(join(root, 'api/mkt/assets')).map((name) => `api/mkt/assets/${name}`)
  return new Map(
    files.flatMap((file) => {
      const slug = profileSlug(file)
      return slug === null ? [] : [[slug, documentIn(root, file, AnyProfile).asset] as const]
    }),
  )
}

const AnyProfile = z.object({
  asset: Asset.pick({ first_listed: true, aliases: true, replaced_by: true }).loose(),
})
