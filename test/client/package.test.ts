import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { packClient } from '../../scripts/packages.ts'
import { methodOf } from '../../src/client/methods.ts'
import { answered } from '../../src/core/endpoints/table.ts'
import { NOON, newFolder, copySampleTree } from '../sample-tree.ts'
import { ownHost } from './hosts.ts'
import { deepIt, scaled } from '../scale.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))
const Tree = z.object({ dependencies: z.record(z.string(), z.object().loose()) })
const compiler = join(project, 'node_modules/typescript/bin/tsc')
/** A project that has nothing but the package: a dependency would have to come with it. */
const empty = newFolder()
const installed = join(empty, 'node_modules/quotetree-client')
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: empty, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

beforeAll(async () => {
  const packed = newFolder()
  const { filename } = await packClient(packed)
  writeFileSync(join(empty, 'package.json'), '{"name":"empty","type":"module"}')
  npm('install', '--offline', '--no-audit', '--no-fund', join(packed, filename))
})

it('adds exactly one package to an empty project', () => {
  const { dependencies } = Tree.parse(JSON.parse(npm('ls', '--all', '--json')))
  expect(Object.keys(dependencies)).toEqual(['quotetree-client'])
  expect(dependencies['quotetree-client']).not.toHaveProperty('dependencies')
  expect(readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['quotetree-client'])
})

it('is the only thing of the project that can be published', () => {
  const manifest: unknown = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ private: true })
  expect(execFileSync('git', ['check-ignore', 'quotetree-client-0.1.0.tgz'], { cwd: project, encoding: 'utf8' })).toBe(
    'quotetree-client-0.1.0.tgz\n',
  )
})

it('holds the client and its types, and nothing of the tree or the program', () => {
  const types = ['answers', 'call', 'client', 'errors', 'method-types', 'price-at', 'valuation']
  expect(readdirSync(installed).toSorted()).toEqual(
    [
      'LICENSE',
      'README.md',
      'client.cjs',
      'client.js',
      'mcp.js',
      'package.json',
      ...types.flatMap((name) => [`${name}.d.cts`, `${name}.d.ts`]),
    ].toSorted(),
  )
})

it('is under 10 KB over the wire, and imports nothing', () => {
  const code = readFileSync(join(installed, 'client.js'))
  expect(gzipSync(code).length).toBeLessThan(10_000)
  expect(code.toString()).not.toMatch(/\bimport\b|\brequire\b/)
})

it('answers agents over standard input, from a folder', async () => {
  const tree = newFolder()
  await copySampleTree(tree)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [join(installed, 'mcp.js'), 'mcp', tree] }),
  )
  const { content } = await client.callTool({ name: 'price', arguments: { coins: ['BTC'] } })
  expect(content).toMatchObject([{ type: 'text', text: expect.stringContaining('"coin":"bitcoin"') }])
  await client.close()
  const { status, stderr } = spawnSync(process.execPath, [join(installed, 'mcp.js')], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining('Usage: quotetree-client mcp')])
})

const APP = `import { ApiError, type AssetsAnswer, type Client, NotFoundError, createClient } from 'quotetree-client'

const client: Client = createClient({ mirrors: ['https://a.example', 'https://b.example/folder/'], maxStaleMs: 3_600_000 })
export async function first(signal: AbortSignal): Promise<string | null> {
  const { data, stale }: { data: AssetsAnswer; stale: boolean } = await client.assets({ limit: 10, signal })
  const price: number | null | undefined = data.rows[0]?.price_usd
  return stale || price == null ? null : price.toFixed(2)
}
export async function more(): Promise<unknown> {
  const { data } = await client.history('bitcoin', { days: 30 })
  const { data: sent } = await client.submitListingRequest({ name: 'A', symbol: 'A' })
  // @ts-expect-error -- there is no such range
  void client.history('bitcoin', { days: 8 })
  // @ts-expect-error -- an asset is of a slug
  void client.asset()
  // @ts-expect-error -- a price may be unknown
  const price: number = (await client.asset('bitcoin')).data.asset.price_usd
  // @ts-expect-error -- answers are shared
  data.rows.pop()
  // @ts-expect-error -- a name is missing
  void client.submitListingRequest({ symbol: 'A' })
  return [price, sent.request.request_id]
}
export async function euros(): Promise<readonly unknown[]> {
  const { data } = await client.assets({ vs: 'eur', ids: ['bitcoin'] })
  const price: number | null | undefined = data.rows[0]?.price
  const inDollars: number | null | undefined = data.rows[0]?.price_usd
  // @ts-expect-error -- histories are in dollars
  void client.history('bitcoin', { vs: 'eur' })
  const [token] = await client.pricesByContract([{ chain: 'ethereum', address: '0x1' }])
  const dollars: number | null | undefined = token?.price_usd
  void dollars
  return [price, inDollars, data.vs, data.rate?.price_usd]
}
export const isAbsent = (error: unknown): boolean => error instanceof NotFoundError && error instanceof ApiError && error.status === 404
`

deepIt('has the types of the client of the repository', async () => {
  const answers = answered
    .filter(({ isDerived }) => !isDerived)
    .map((spec) => `'${methodOf(spec)}'`)
    .join(' | ')
  writeFileSync(
    join(empty, 'same.ts'),
    `import type * as packed from 'quotetree-client'
import type * as own from '${join(project, 'src/client/client.ts')}'
type Flat<T> = T extends readonly unknown[] ? { [Name in keyof T]: Flat<T[Name]> } : T extends object ? { [Name in keyof T]: Flat<T[Name]> } : T
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type AnswerOf<Client, Name extends keyof Client> = Client[Name] extends (...given: never) => Promise<{ readonly data: infer Answer }> ? Flat<Answer> : never
type Methods<Client extends packed.Client | own.Client> = Pick<Client, Exclude<${answers}, 'submitListingRequest'>>
export const there: Methods<packed.Client> = null as unknown as Methods<own.Client>
export const back: Methods<own.Client> = null as unknown as Methods<packed.Client>
type Differing = { [Name in ${answers}]: Same<AnswerOf<packed.Client, Name>, AnswerOf<own.Client, Name>> extends true ? never : Name }
export const none: never = null as unknown as Differing[${answers}]
export const body: packed.ListingRequestBody = null as unknown as own.ListingRequestBody
export const error: Same<Flat<packed.ErrorAnswer>, Flat<own.ErrorAnswer>> = true
`,
  )
  expect(
    await compiled('same.ts', [
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
      '--skipLibCheck',
      '--target',
      'es2024',
    ]),
  ).toBe('')
})

const compiled = (file: string, options: readonly string[]): Promise<unknown> => {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit']
  return run(process.execPath, [compiler, file, ...strict, ...options], { cwd: empty }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error instanceof Error && 'stdout' in error ? error.stdout : error),
  )
}

const RESOLUTIONS: readonly (readonly [string, string, readonly string[]])[] = [
  ['nodenext', 'app.ts', ['--module', 'nodenext']],
  ['node16', 'app.ts', ['--module', 'node16']],
  ['node16 in a CommonJS module', 'app.cts', ['--module', 'node16']],
  ['bundler', 'app.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
]
describe.each(RESOLUTIONS.slice(0, scaled(1, 4)))('type-checks with the resolution %s', (_, file, resolution) => {
  it('in a strict project without anything else', async () => {
    writeFileSync(join(empty, file), APP)
    const told = await compiled(file, ['--target', 'es2022', '--types', '', ...resolution])
    expect(told).toBe('')
  })
})

it('is found by `require`, and by resolvers that read `main` and `types` alone', async () => {
  const code = `console.log(typeof require('quotetree-client').createClient)`
  expect((await run(process.execPath, ['--input-type=commonjs', '-e', code], { cwd: empty })).stdout).toBe('function\n')
  const { main, types } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(readdirSync(installed).map((name) => `./${name}`)).toEqual(expect.arrayContaining([main, types]))
})

it('runs in Node', async () => {
  const root = newFolder()
  await copySampleTree(root)
  const host = await ownHost(root, NOON)
  try {
    writeFileSync(
      join(empty, 'app.js'),
      `import { createClient } from 'quotetree-client'
       const client = createClient({ mirrors: ['http://127.0.0.1:1', process.argv[2]] })
       const { data, stale, mirror } = await client.assets({ limit: 3 })
       const missing = await client.asset('no-such-coin').catch(({ name, code }) => [name, code])
       console.log(JSON.stringify([data.count, data.rows.length, stale, mirror, missing]))`,
    )
    const { stdout } = await run(process.execPath, ['app.js', host.url], { cwd: empty })
    // The clock of that process is the machine's, which may be on either side of the sample's.
    expect(JSON.parse(stdout)).toEqual([3, 3, expect.any(Boolean), host.url, ['NotFoundError', 'asset_not_found']])
  } finally {
    await host.close()
  }
})

const examplesIn = (guide: string): string[] =>
  [...readFileSync(join(project, guide), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(([, block = '']) => block)

it('runs as the README shows, and as its own README does in five examples', async () => {
  const root = newFolder()
  await copySampleTree(root)
  const host = await ownHost(root, NOON)
  const runAs = async (code: string): Promise<readonly string[]> => {
    writeFileSync(join(empty, 'shown.js'), code.replace('http://127.0.0.1:8787', host.url))
    return (await run(process.execPath, ['shown.js'], { cwd: empty })).stdout.trim().split('\n')
  }
  try {
    const lines = await runAs(examplesIn('README.md')[0] ?? '')
    expect([lines[0], lines.length]).toEqual([expect.stringMatching(/^BTC [\d.]+/), 10])

    const examples = examplesIn('src/client/README.md')
    expect(examples).toHaveLength(5)
    const imports = examples.flatMap((block) => block.match(/^import .*$/gm) ?? [])
    const [first, ...others] = examples.map((block) => block.replaceAll(/^import .*$/gm, ''))
    const scoped = others.map((block) => `{\n${block}}`)
    expect(await runAs([...imports, `Date.now = () => ${NOON}`, first, ...scoped].join('\n'))).toEqual([
      ...['BTC', 'ETH', 'USDT'].map((symbol) => expect.stringMatching(new RegExp(`^${symbol} [\\d.]+`))),
      ...['bitcoin', 'ethereum'].map((slug) => expect.stringMatching(new RegExp(`^${slug}( [\\d.]+){3}$`))),
      expect.stringMatching(/^\S+ \S+$/),
      expect.stringMatching(/^[\d.]+ [\d.]+ 2026-11-10T\S+ history$/),
      expect.stringMatching(/^[\d.]+ null$/),
      'not listed',
    ])
  } finally {
    await host.close()
  }
})
