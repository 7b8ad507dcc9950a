import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { Asset, AssetRow } from '../src/contract/asset.ts'
import { fileOf } from '../src/contract/endpoint-spec.ts'
import { visible } from '../src/contract/visible.ts'
import { Market } from '../src/contract/market.ts'
import { assetMarkets } from '../src/endpoints/asset-markets.ts'
import { asset } from '../src/endpoints/asset.ts'
import { assets } from '../src/endpoints/assets.ts'
import { checkMirror } from '../src/check/mirror.ts'
import { elsewhere } from '../src/tree/remote.ts'
import { verify } from '../src/check/recompute.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const HELP = `npm run verify -- [<slug> ...] [--all] [--tree <folder or URL>]
npm run verify -- --manifest <folder or URL>
Computes published prices again from the published market rows and method alone, and says where they differ. With
--manifest, holds every file against the manifest instead.

  --all              every listing
  --manifest         folder or base URL of a mirror to hold against its manifest
  --tree             folder of a tree or base URL of a site, dist by default`

const ASKING = { timeoutMs: 30_000, attempts: 3, pause: sleep }

/** Reads a file of a tree in a folder or on a site. */
const readerOf =
  (tree: string) =>
  async (file: string): Promise<unknown> => {
    if (!/^https?:\/\//.test(tree)) return JSON.parse(await readFile(join(tree, file), 'utf8'))
    const response = await fetch(new URL(file, tree.endsWith('/') ? tree : `${tree}/`))
    if (!response.ok) throw new UsageError(`${response.url} answers ${response.status}`)
    return response.json()
  }

await main(async () => {
  const { values, positionals } = parsed('verify', {
    allowPositionals: true,
    options: {
      all: { type: 'boolean' },
      manifest: { type: 'string' },
      tree: { type: 'string', default: 'dist' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    print(HELP)
    return EXIT.done
  }
  if (values.manifest !== undefined) return mirror(values.manifest)
  if (!values.all && positionals.length === 0) throw new UsageError(`name an asset, or say --all\n\n${HELP}`)
  const read = readerOf(values.tree)
  const slugs = values.all
    ? z
        .object({ rows: z.array(AssetRow) })
        .parse(await read(fileOf(assets, {})))
        .rows.map(({ slug }) => slug)
    : positionals

  let different = 0
  for (const slug of slugs) {
    const profile = z.object({ asset: Asset }).parse(await read(fileOf(asset, { slug }))).asset
    const markets = z.object({ rows: z.array(Market) }).parse(await read(fileOf(assetMarkets, { slug }))).rows
    const { method, price_usd, differences } = verify(profile, markets)
    if (differences.length > 0) different++
    if (!values.all || differences.length > 0)
      print(visible(`${slug}: ${price_usd ?? 'no price'} by ${method}: ${differences.join('; ') || 'equal'}`))
  }
  print(`${slugs.length - different} of ${slugs.length} prices are equal`)
  return different === 0 ? EXIT.done : EXIT.refused
})

/** Checks every byte of a mirror. */
async function mirror(place: string): Promise<number> {
  const { snapshotId, previous, checked, breaches } = await checkMirror(elsewhere(place, ASKING))
  for (const { path, what } of breaches) print(visible(`${path} is ${what}`))
  print(
    `${checked} files checked, ${breaches.length} not as the manifest says; snapshot ${snapshotId ?? 'unknown'}` +
      (previous === null ? '' : `, after the manifest ${previous.slice(0, 16)}`),
  )
  return breaches.length === 0 ? EXIT.done : EXIT.refused
}
