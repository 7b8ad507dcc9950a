import { expect, it } from 'vitest'
import * as z from 'zod'
import { specs } from '../../src/core/endpoints/table.ts'
import { hostFiles } from '../../scripts/config.ts'
import { filesBelow } from '../../src/core/tree/reader.ts'
import { sharedSampleTree } from '../sample-tree.ts'

const Config = z.object({ assets: z.object({ run_worker_first: z.array(z.string()) }) })

it('leaves the files of lists to the assets, and to the Worker what only it can answer', async () => {
  const root = await sharedSampleTree()
  const site = { specs, tree: root, server: '', port: 0, brotli: false, database: null }
  const text = hostFiles('cloudflare', site).find(({ path }) => path === 'wrangler.jsonc')?.text ?? ''
  const { run_worker_first: rules } = Config.parse(JSON.parse(text)).assets
  const asset = rules.flatMap((rule) =>
    rule.startsWith('!') ? [new RegExp(`^${rule.slice(1).replace('*', '.*')}$`)] : [],
  )
  // MAX_ROUTES_RULES of wrangler.
  expect(rules.length).toBeLessThan(100)

  const isAsset = (path: string) => asset.some((rule) => rule.test(path))
  const assets = filesBelow(root, 'api').filter((file) => isAsset(`/${file}`))
  for (const list of ['assets', 'markets', 'prices', 'collector', 'symbols', 'changes'])
    expect(assets).toContain(`api/mkt/${list}.json`)
  // Cloudflare redirects a `=` to `%3D`, and no redirect has the headers of the API.
  expect(assets.filter((file) => file.includes('='))).toEqual([])
  for (const path of ['/api/mkt/listing-requests.json', '/api/mkt/assets/bitcoin.json', '/api/mkt/history/bitcoin'])
    expect(isAsset(path)).toBe(false)
})
