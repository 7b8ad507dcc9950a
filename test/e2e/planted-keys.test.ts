import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder } from '../sample-tree.ts'
import { FAULTS, faultyUpstream } from '../faults/upstream.ts'
import { scaled } from '../scale.ts'
import { run } from './commands.ts'

const PLANTED = {
  COINGECKO_API_KEY: 'planted-coingecko-key',
  QUEUE_TOKEN: 'planted-queue-token',
  QUEUE_SECRET: 'planted-queue-secret-of-32-characters',
  AWS_SECRET_ACCESS_KEY: 'planted-bucket-key',
  HEALTH_WEBHOOK: 'https://hooks.example/planted-webhook',
}
let upstream: Awaited<ReturnType<typeof faultyUpstream>>
beforeAll(async () => {
  upstream = await faultyUpstream()
})
afterAll(() => upstream.close())

/** Every text that a run leaves: what it prints, what it reports, what it publishes. */
async function leftBy(args: readonly string[], root: string, report: string): Promise<string> {
  const env = {
    ...PLANTED,
    QUEUE_API: upstream.url.href,
    MKT_UPSTREAM: upstream.url.href,
    MKT_NOW: '2026-11-20T12:00:00Z',
  }
  const kept = newFolder()
  const { stdout, stderr } = await run(
    'snapshot',
    [
      '--out',
      root,
      '--history-requests',
      '0',
      '--accept',
      'listings_floor',
      '--report',
      report,
      '--record',
      kept,
      ...args,
    ],
    env,
  )
  const files = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const bundles = readdirSync(kept).map((name) => gunzipSync(readFileSync(join(kept, name))).toString())
  expect(bundles.join('')).toContain('"format":"quotetree-observations"')
  return [
    stdout,
    stderr,
    ...bundles,
    ...files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
  ].join('\n')
}

it('leaves no key in what it prints, reports, publishes and keeps, whatever goes wrong', async () => {
  const root = newFolder()
  const report = join(root, 'report.json')
  upstream.failing.set('api.coingecko.com', 'html')
  let left = await leftBy(['--queue', 'd1:no-account/none'], root, report)
  expect(left).toContain('"endpoint":"assets"')
  const faults = FAULTS.filter((one) => one !== 'hang' && one !== '429')
  for (const fault of scaled([], faults)) {
    upstream.failing.set('api.coingecko.com', fault)
    left += await leftBy(['--only', 'coingecko,coinpaprika'], root, report)
  }
  upstream.failing.clear()
  if (scaled(false, true)) left += await leftBy([], root, report)
  for (const [name, key] of Object.entries(PLANTED)) expect(left.includes(key), name).toBe(false)
})
