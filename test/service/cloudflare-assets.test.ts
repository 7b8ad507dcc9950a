import { expect, it } from 'vitest'
import * as z from 'zod'
import { specs } from '../../src/core/endpoints/table.ts'
import { hostFiles } from '../../scripts/config.ts'
import { filesBelow } from '../../src/core/tree/reader.ts'
import { startWorkflow } from '../../src/service/worker.ts'
import { sharedSampleTree } from '../sample-tree.ts'
import { SITE } from './running.ts'

const Config = z.object({ assets: z.object({ run_worker_first: z.array(z.string()) }) })

it('leaves the files of lists to the assets, and to the Worker what only it can answer', async () => {
  const root = await sharedSampleTree()
  const text =
    hostFiles('cloudflare', { ...SITE, specs, tree: root }).find(({ path }) => path === 'wrangler.jsonc')?.text ?? ''
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

it.each([
  [20, '0,20,40 * * * *'],
  [30, '0,30 * * * *'],
  [60, '0 * * * *'],
  [360, '0 0,6,12,18 * * *'],
  [1440, '0 0 * * *'],
])('starts the workflow of the repository every %i minutes', (cadenceMinutes, cron) => {
  const configOf = (repository: string | null): unknown =>
    JSON.parse(
      hostFiles('cloudflare', { ...SITE, cadenceMinutes, repository }).find(({ path }) => path.endsWith('.jsonc'))
        ?.text ?? '',
    )
  expect(configOf('grove/prices')).toMatchObject({ triggers: { crons: [cron] }, vars: { REPOSITORY: 'grove/prices' } })
  expect(configOf(null)).toMatchObject({ triggers: { crons: [] }, vars: {} })
})

it('asks GitHub with the token, says what to do where it refuses, and asks nothing without a token', async () => {
  const asked: Request[] = []
  const ask: typeof fetch = async (input, init) => {
    asked.push(new Request(input, init))
    return new Response(null, { status: asked.length === 1 ? 204 : 401 })
  }
  const bindings = { REPOSITORY: 'grove/prices', DISPATCH_TOKEN: 'secret' }
  await startWorkflow({ REPOSITORY: 'grove/prices' }, ask)
  await startWorkflow(bindings, ask)
  await expect(startWorkflow(bindings, ask)).rejects.toThrow('status 401. Renew the secret DISPATCH_TOKEN')
  const [first] = asked
  expect([asked.length, first?.method, first?.url, first?.headers.get('authorization'), await first?.json()]).toEqual([
    2,
    'POST',
    'https://api.github.com/repos/grove/prices/dispatches',
    'Bearer secret',
    { event_type: 'snapshot' },
  ])
})
