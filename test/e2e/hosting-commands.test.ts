import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { HOSTS } from '../../src/service/hosts.ts'
import { newFolder, copySampleTree } from '../sample-tree.ts'
import { addressOf, run, start } from './commands.ts'
import { deepIt, scaled } from '../scale.ts'

const root = newFolder()
const server: { child?: ReturnType<typeof start>; url: string } = { url: '' }
beforeAll(async () => {
  await copySampleTree(root)
  if (scaled(true, false)) return
  server.child = start('serve', ['--tree', root, '--queue', newFolder()], { PORT: '0' })
  server.url = await addressOf(server.child)
})
afterAll(() => {
  server.child?.kill()
})

it.each(scaled(['cloudflare'], Object.keys(HOSTS)))(
  'npm run config -- --host %s writes what the host wants, and says what is next',
  async (host) => {
    const out = newFolder()
    const { code, stdout } = await run('config', ['--host', host, '--tree', root, '--out', out])
    const [...lines] = stdout.trim().split('\n')
    expect([code, lines.pop()]).toEqual([0, expect.stringMatching(/^Next, in /)])
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(existsSync(join(process.cwd(), line)), line).toBe(true)
  },
)

deepIt('npm run config -- --host replaces its own files alone', async () => {
  const out = newFolder()
  const generate = (...options: string[]) =>
    run('config', ['--host', 'cloudflare', '--tree', root, '--out', out, ...options])
  expect((await generate()).code).toBe(0)
  expect((await generate('--database', 'first-id')).code).toBe(0)
  const file = join(out, 'wrangler.jsonc')
  expect(readFileSync(file, 'utf8')).toContain('first-id')
  appendFileSync(file, '// mine\n')
  const refused = await generate('--database', 'another-id')
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`${file} was edited, or not written by`)])
  expect(readFileSync(file, 'utf8')).toContain('// mine')
})

const IN_TREE: [string, string][] = [
  ['cloudflare', '_headers'],
  ['cloudflare', '.assetsignore'],
]
it.each(scaled(IN_TREE.slice(0, 1), IN_TREE))(
  'npm run config -- --host %s leaves a %s of the user in the tree',
  async (host, name) => {
    const tree = newFolder()
    cpSync(join(root, 'api/mkt.json'), join(tree, 'api/mkt.json'), { recursive: true })
    const file = join(tree, name)
    writeFileSync(file, '# mine\n')
    const out = newFolder()
    const generate = () => run('config', ['--host', host, '--tree', tree, '--out', out])
    const refused = await generate()
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`${file} was edited, or not written by`),
    ])
    expect([readFileSync(file, 'utf8'), readdirSync(out)]).toEqual(['# mine\n', []])
    rmSync(file)
    expect([(await generate()).code, (await generate()).code]).toEqual([0, 0])
  },
)

it('npm run config -- --host lists the hosts', async () => {
  const { code, stderr } = await run('config', ['--host', 'geocities'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('cloudflare, nginx, docker')])
})

deepIt('npm run verify -- --http passes on the server, and reports its checks', async () => {
  const { code, stdout } = await run('verify', ['--http', server.url])
  expect([code, stdout.trim().split('\n').at(-1)]).toEqual([0, expect.stringMatching(/^\d+ answers tested, 0 failed$/)])
})

deepIt('npm run verify -- --http fails on a server that is no publication, and says so', async () => {
  const missing = await run('verify', ['--http', `${server.url}/nothing`])
  expect([missing.code, missing.stdout]).toEqual([3, expect.stringMatching(/ answers tested, [1-9]\d* failed\n$/)])
  const away = await run('verify', ['--http', 'http://127.0.0.1:1'])
  expect([away.code, away.stderr]).toEqual([2, expect.stringContaining('cannot be reached')])
})
