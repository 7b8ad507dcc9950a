import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { filesBelow } from '../../src/core/tree/reader.ts'
import { newFolder } from '../sample-tree.ts'
import { addressOf, ended, start } from './commands.ts'

const place = newFolder()
const SAMPLE = ['--sources', 'sample', '--listings', '30', '--history-requests', '20']

async function quotetree(command: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await ended(start(command, args, { MKT_NOW: '2026-11-20T12:00:00Z' }, place))
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

/** Files below a folder that name the built-in prefix, besides as what a program falls back to. */
const namingTheOther = (folder: string): string[] =>
  filesBelow(folder, '').filter((file) =>
    readFileSync(join(folder, file), 'utf8').replaceAll('?"/api/mkt":', '').includes('api/mkt'),
  )

it('publishes, serves, checks and goes on below the prefix of the configuration', async () => {
  writeFileSync(join(place, 'quotetree.config.ts'), "export default { prefix: 'v1/quotes' }")
  await quotetree('snapshot', ...SAMPLE)
  const tree = join(place, 'dist')
  expect(existsSync(join(tree, 'v1/quotes/assets/bitcoin.json'))).toBe(true)
  expect(namingTheOther(tree)).toEqual([])
  await quotetree('verify')

  const server = start('serve', [], { PORT: '0' }, place)
  const address = await addressOf(server)
  expect((await fetch(`${address}/v1/quotes/assets?limit=3`)).status).toBe(200)
  expect((await fetch(`${address}/api/mkt/assets`)).status).toBe(404)
  expect(await quotetree('verify', '--http', address)).toContain(' 0 failed')
  const client = createClient({ mirrors: address, prefix: 'v1/quotes' })
  expect((await client.assets({ limit: 3 })).data.rows).toHaveLength(3)
  server.kill('SIGTERM')
  await ended(server)

  for (const host of ['nginx', 'cloudflare', 'docker'])
    // oxlint-disable-next-line no-await-in-loop -- each is a program
    await quotetree('config', '--host', host)
  expect(namingTheOther(join(place, '.hosting'))).toEqual([])

  // The second run is on a machine that has nothing but the site.
  const site = join(place, 'site')
  cpSync(tree, site, { recursive: true, preserveTimestamps: true })
  await quotetree('snapshot', ...SAMPLE, '--out', 'dist2', '--from', site)
  expect(namingTheOther(join(place, 'dist2'))).toEqual([])
  await quotetree('verify', '--tree', 'dist2')
})
