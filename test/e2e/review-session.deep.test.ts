import { type ChildProcess, execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder } from '../sample-tree.ts'
import { addressOf, start } from './commands.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
/** A copy of the project: an acceptance writes into it. */
const copy = newFolder()
let server: ChildProcess
let port: string

beforeAll(async () => {
  for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(join(project, name), join(copy, name), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
  server = start('start', [], { PORT: '0' }, copy)
  ;({ port } = new URL(await addressOf(server)))
})
afterAll(() => {
  server.kill()
})

/** The commands that the guide shows under a heading. */
function commandsUnder(heading: string): string[] {
  const guide = readFileSync(join(project, '.github/docs/operating.md'), 'utf8')
  const [, section = ''] = guide.split(`\n## ${heading}\n`)
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(section) ?? []
  return block.trim().split('\n')
}

async function run(command: string): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1' }
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: copy, env, maxBuffer: 2 ** 26 })
  return stdout
}

it('goes from a request to the feed as the guide shows', async () => {
  const [send = '', list = '', accept = '', build = '', look = ''] = commandsUnder('Listing requests').map((command) =>
    command.replace('8787', port),
  )
  const id = /"request_id":"([0-9a-f]+)"/.exec(await run(send))?.[1] ?? 'none'
  expect(await run(list)).toMatch(new RegExp(`${id}.*pending.*GROVE.*Grove Coin`))
  expect(await run(accept.replace('<id>', id))).toMatch(/^\+ {2}"slug": "grove-coin",.*is accepted/ms)
  expect(readFileSync(join(copy, 'src/core/registry/assets/grove-coin.json'), 'utf8')).toContain('"grove-coin"')
  // The first run may still be writing what is beside the lists.
  await expect.poll(() => existsSync(join(copy, 'dist/.lock')), { timeout: 60_000 }).toBe(false)
  await run(build)
  expect(await run(look)).toContain('"slug":"grove-coin","symbol":"GROVE"')
  const state: unknown = await (await fetch(`http://127.0.0.1:${port}/api/mkt/listing-requests/${id}`)).json()
  expect(state).toMatchObject({ request: { status: 'accepted', name: 'Grove Coin' } })
  const published: unknown = JSON.parse(readFileSync(join(copy, 'dist/api/mkt/listing-requests.json'), 'utf8'))
  expect(published).toMatchObject({ counts: { accepted: 1 } })
})
