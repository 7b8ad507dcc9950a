import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder, sharedSampleTree } from '../sample-tree.ts'

/** They need TypeScript 5, which does not install beside the project's, so they have a folder of their own. */
const TOOLS = ['openapi-typescript@7', 'typescript@5', '@stoplight/prism-cli@5']

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
