import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { probe, siteAt } from '../../src/check/probe.ts'
import { specs } from '../../src/core/endpoints/table.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { type Host, freePort, startedIn } from './running.ts'

const PROGRAM = fileURLToPath(new URL('../../node_modules/serve/build/main.js', import.meta.url))
const root = newFolder()
let host: Host

beforeAll(async () => {
  await copySampleTree(root)
  for (const page of ['index', 'docs/index', 'token/bitcoin', '404']) {
    mkdirSync(join(root, dirname(page)), { recursive: true })
    writeFileSync(join(root, `${page}.html`), '<p>page</p>')
  }
  const port = await freePort()
  const args = [PROGRAM, '-l', `tcp://127.0.0.1:${port}`, '--no-clipboard', '-L', '--cors', root]
  host = await startedIn(process.execPath, args, newFolder(), port)
})
afterAll(() => host.end())

it.each(['/', '/docs/', '/token/bitcoin', '/token/no-such', '/nothing'])(
  'npx serve --cors answers the page %s',
  async (path) => {
    const answer = await fetch(host.url + path)
    expect([answer.status, await answer.text()]).toEqual([/no/.test(path) ? 404 : 200, '<p>page</p>'])
  },
)

it.each([
  ['/api/mkt.json', 'index'],
  ['/api/mkt/assets.json', 'assets'],
  ['/api/mkt/assets/bitcoin.json', 'asset'],
  ['/api/mkt/assets/bitcoin/markets.json', 'asset-markets'],
  ['/api/mkt/history/bitcoin.json', 'history'],
  ['/api/mkt/history/bitcoin/days=30.json', 'history'],
  ['/api/mkt/prices.json', 'prices'],
])('npx serve --cors answers %s with its type and for other origins', async (path, endpoint) => {
  const answer = await fetch(host.url + path)
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await answer.json()).toMatchObject({ ok: true, endpoint })
})

it('npx serve --cors passes the checks of a host of files', async () => {
  const { findings, answers } = await probe(siteAt(host.url, fetch), specs, 'static')
  expect(findings).toEqual([])
  expect(answers['file']).toBeGreaterThan(20)
})
