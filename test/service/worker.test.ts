import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder, copySampleTree } from '../sample-tree.ts'
import { hasTools } from '../tools.ts'
import { workerOver } from './worker.ts'

const root = newFolder()
let worker: Awaited<ReturnType<typeof workerOver>>
beforeAll(async () => {
  await copySampleTree(root)
  mkdirSync(join(root, 'token'), { recursive: true })
  writeFileSync(join(root, '404.html'), '<!doctype html>not here')
  writeFileSync(join(root, 'token/index.html'), '<!doctype html>token')
  writeFileSync(join(root, 'token/ethereum.html'), '<!doctype html>ethereum')
  if (hasTools) worker = await workerOver(root, {})
})
afterAll(async () => {
  if (hasTools) await worker.miniflare.dispose()
})

it.skipIf(!hasTools)('accepts nothing without its secret, and shows what was published', async () => {
  const path = `${worker.url}/api/mkt/listing-requests`
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'A', symbol: 'A', website: 'https://a.example' })
  const refused = await fetch(path, { method: 'POST', headers, body })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
  expect(await refused.json()).toMatchObject({ ok: false, error: { code: 'unavailable' } })
  expect(await (await fetch(path)).json()).toMatchObject({ ok: true, counts: { pending: 0 } })
})

it.skipIf(!hasTools)(
  'answers a person with a page where nothing is, and has the page of a token under its path',
  async () => {
    const accept = { headers: { accept: 'text/html' } }
    const missing = await fetch(`${worker.url}/nothing`, accept)
    expect([missing.status, await missing.text()]).toEqual([404, '<!doctype html>not here'])
    const plain = await fetch(`${worker.url}/nothing`)
    expect([plain.status, await plain.text()]).toEqual([404, ''])
    // What depends on it may not be kept for those who accept something else.
    for (const { headers } of [missing, plain]) expect(headers.get('vary')).toBe('Accept, Accept-Encoding')
    expect(await (await fetch(`${worker.url}/token/ethereum`, accept)).text()).toBe('<!doctype html>ethereum')
    expect(await (await fetch(`${worker.url}/token/bitcoin`, accept)).text()).toBe('<!doctype html>token')
    const unknown = await fetch(`${worker.url}/token/no-such`, accept)
    expect([unknown.status, await unknown.text()]).toEqual([404, '<!doctype html>not here'])
  },
)

it.skipIf(!hasTools)('is small enough for the free plan, whose limit is 3 MB compressed', () =>
  expect(worker.bytes).toBeLessThan(1_000_000),
)
