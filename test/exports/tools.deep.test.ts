import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { build } from 'esbuild'
import { listen } from '../../src/service/node.ts'
import { NOON, newFolder, sharedSampleTree } from '../sample-tree.ts'
import { onDisk } from '../service/world.ts'

/** They need TypeScript 5, which does not install beside the project's, so they have a folder of their own. */
const TOOLS = [
  'openapi-typescript@7',
  'openapi-fetch@0.17',
  // The last ones for the oldest Node that the project takes.
  'orval@7.13.2',
  '@hey-api/openapi-ts@0.94.5',
  'typescript@5',
  '@stoplight/prism-cli@5',
]

const run = promisify(execFile)
const folder = newFolder()
const script = (path: string): string => join(folder, 'node_modules', path)
let absent: string | null = null
let prism: ChildProcess | null = null

beforeAll(async () => {
  copyFileSync(join(await sharedSampleTree(), 'openapi.json'), join(folder, 'openapi.json'))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...TOOLS]
  await run('npm', install, { cwd: folder, timeout: 300_000 }).catch((error: unknown) => {
    absent = `npm could not install ${TOOLS.join(', ')}: ${String(error).split('\n')[0]}`
  })
}, 330_000)
afterAll(() => prism?.kill())

it('openapi-typescript makes types of the saved description, which TypeScript accepts', async (test) => {
  test.skip(absent !== null, absent ?? '')
  await run(process.execPath, [script('openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'api.d.ts'], {
    cwd: folder,
  })
  writeFileSync(
    join(folder, 'use.ts'),
    `import type { paths } from './api'
type Answer = paths['/api/mkt/history/{slug}']['get']['responses'][200]['content']['application/json']
export const first = (answer: Answer): number | undefined => answer.rows[0]?.price_usd
type Query = NonNullable<paths['/api/mkt/prices']['get']['parameters']['query']>
export const query: Query = { ids: 'bitcoin', vs: 'eur', limit: 3 }
`,
  )
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'use.ts']
  const compiled = await run(process.execPath, [script('typescript/bin/tsc'), ...options], { cwd: folder }).catch(
    ({ stdout }: { stdout: unknown }) => ({ stdout }),
  )
  expect(compiled).toMatchObject({ stdout: '' })
  expect(readFileSync(join(folder, 'api.d.ts'), 'utf8')).toContain('/api/mkt/assets.csv')
})

/** A program that reads a price with the code of each generator. */
const USE = `import createClient from 'openapi-fetch'
import type { paths } from './api'
import * as hey from './hey'
import { client } from './hey/client.gen'
import * as orval from './orval'

export async function prices(baseUrl: string): Promise<(number | undefined)[]> {
  const direct = createClient<paths>({ baseUrl })
  const one = await direct.GET('/api/mkt/history/{slug}', { params: { path: { slug: 'bitcoin' }, query: { days: 7 } } })
  const csv = await direct.GET('/api/mkt/assets.csv', { parseAs: 'text' })
  const text: string | undefined = csv.data
  client.setConfig({ baseUrl })
  const two = await hey.prices({ query: { ids: 'bitcoin' } })
  const refused = await hey.asset({ path: { slug: 'no-such-coin' } })
  const code: string | undefined = refused.error && 'error' in refused.error ? refused.error.error.code : undefined
  const rows = await direct.GET('/api/mkt/assets', { params: { query: { vs: 'eur', limit: 1 } } })
  const dollars: number | null | undefined = rows.data?.rows[0]?.price_usd
  const listed = await hey.assets({ query: { limit: 1 } })
  const same: number | null | undefined = listed.data?.rows[0]?.price_usd
  const third = await orval.assets({ limit: 1 })
  const again = third.status === 200 ? third.data.rows[0]?.price_usd : undefined
  if (dollars !== same || same !== again) throw new Error('the clients differ')
  const three = await orval.asset('bitcoin')
  const last: number | null | undefined = three.status === 200 ? three.data.asset.price_usd : undefined
  return [one.data?.rows.length, two.data?.prices['bitcoin'], last ?? undefined, Number(text?.includes('bitcoin')), code?.length]
}
`

it('openapi-fetch, orval and hey-api make clients that TypeScript accepts and that read from a server', async (test) => {
  test.skip(absent !== null, absent ?? '')
  const generators = [
    [script('openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'api.d.ts'],
    [script('.bin/orval'), '--input', 'openapi.json', '--output', 'orval.ts', '--client', 'fetch'],
    [script('.bin/openapi-ts'), '-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch'],
  ]
  for (const args of generators) await run(process.execPath, args, { cwd: folder })
  writeFileSync(join(folder, 'clients.ts'), USE)
  const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', 'clients.ts']
  const target = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']
  const lib = ['--lib', 'es2022,dom,dom.iterable']
  const compiled = run(process.execPath, [script('typescript/bin/tsc'), ...options, ...target, ...lib], { cwd: folder })
  expect(await compiled.catch(({ stdout }: { stdout: unknown }) => ({ stdout }))).toMatchObject({ stdout: '' })

  const file = join(folder, 'clients.mjs')
  await build({ entryPoints: [join(folder, 'clients.ts')], bundle: true, format: 'esm', outfile: file })
  const tree = await sharedSampleTree()
  const server = await listen(
    onDisk(tree, () => NOON),
    '127.0.0.1',
    0,
  )
  // orval's code asks for paths, as on a page of the same host.
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (input: string | Request, init?: RequestInit) =>
    fetch(typeof input === 'string' ? new URL(input, server.url) : input, init),
  )
  try {
    const { prices }: { prices: (url: string) => Promise<unknown[]> } = await import(pathToFileURL(file).href)
    const { bitcoin } = JSON.parse(readFileSync(join(tree, 'api/mkt/prices.json'), 'utf8')).prices
    expect(await prices(server.url)).toEqual([expect.any(Number), bitcoin, bitcoin, 1, 'asset_not_found'.length])
  } finally {
    vi.unstubAllGlobals()
    await server.close()
  }
})

it('Prism answers with the examples of the saved description, and refuses what it forbids', async (test) => {
  test.skip(absent !== null, absent ?? '')
  const mock = spawn(
    process.execPath,
    [script('@stoplight/prism-cli/dist/index.js'), 'mock', '-p', '0', 'openapi.json'],
    {
      cwd: folder,
    },
  )
  prism = mock
  const url = await new Promise<string>((listening, failed) => {
    let said = ''
    mock.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.split('listening')[1] ?? '') ?? []
      if (address !== undefined) listening(address)
    })
    mock.once('exit', () => failed(new Error(said)))
  })
  const statusOf = async (path: string) => {
    const response = await fetch(`${url}/api/mkt${path}`)
    return [response.status, response.headers.get('content-type')?.split(';')[0], (await response.text()).slice(0, 9)]
  }
  const json = 'application/json'
  expect(await statusOf('/prices?limit=10')).toEqual([200, json, '{"ok":tru'])
  expect(await statusOf('/history/bitcoin?days=30')).toEqual([200, json, '{"ok":tru'])
  expect(await statusOf('/history/bitcoin?days=8')).toEqual([400, json, '{"ok":fal'])
  expect((await statusOf('/assets.csv')).slice(0, 2)).toEqual([200, 'text/csv'])
})
