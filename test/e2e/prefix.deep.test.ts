import { spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { newFolder } from '../sample-tree.ts'
import { addressOf, ended } from './commands.ts'
import { cloneAt, commandsIn } from './project-copy.ts'

const place = newFolder()
const copy = join(place, 'copy')
const quotetree = commandsIn(copy)

const CONFIG = `import { defineConfig } from './src/config/define.ts'

export default defineConfig({ prefix: 'v1/quotes' })
`
const SAMPLE = ['--sources', 'sample', '--listings', '30', '--history-requests', '20']

/** Files below a folder that name the built-in prefix. */
const namingTheOther = (folder: string): string[] =>
  filesBelow(folder, '').filter((file) => readFileSync(join(folder, file), 'utf8').includes('api/mkt'))

it('publishes, serves, checks and goes on below the prefix of the configuration', async () => {
  cloneAt(copy)
  writeFileSync(join(copy, 'quotetree.config.ts'), CONFIG)
  await expect(quotetree('snapshot', ...SAMPLE)).rejects.toThrow(
    'prefix is "v1/quotes", but this program publishes below "api/mkt". Write PREFIX = \'/v1/quotes\'',
  )
  const file = join(copy, 'src/contract/prefix.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace('/api/mkt', '/v1/quotes'))

  await quotetree('snapshot', ...SAMPLE)
  const tree = join(copy, 'dist')
  expect(existsSync(join(tree, 'v1/quotes/assets/bitcoin.json'))).toBe(true)
  expect(namingTheOther(tree)).toEqual([])
  await quotetree('verify')

  const server = spawn(process.execPath, ['scripts/quotetree.mjs', 'serve'], {
    cwd: copy,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = await addressOf(server)
  expect((await fetch(`${address}/v1/quotes/assets?limit=3`)).status).toBe(200)
  expect((await fetch(`${address}/api/mkt/assets`)).status).toBe(404)
  expect(await quotetree('verify', '--http', address)).toContain(' 0 failed')
  const client = createClient({ mirrors: address, prefix: 'v1/quotes' })
  expect((await client.assets({ limit: 3 })).data.rows).toHaveLength(3)
  server.kill('SIGTERM')
  await ended(server)

  for (const host of ['nginx', 'caddy', 'cloudflare', 'netlify', 'vercel', 'static', 'docker'])
    // oxlint-disable-next-line no-await-in-loop -- each is a program
    await quotetree('config', '--host', host)
  expect(namingTheOther(join(copy, '.hosting'))).toEqual([])

  // The second run is on a machine that holds nothing but the checkpoint.
  const site = join(place, 'site')
  cpSync(tree, site, { recursive: true, preserveTimestamps: true })
  await quotetree('snapshot', ...SAMPLE, '--out', 'dist2', '--from', site)
  expect(namingTheOther(join(copy, 'dist2'))).toEqual([])
  await quotetree('verify', '--tree', 'dist2')
})
