import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { addressOf, ended } from '../e2e/commands.ts'
import { newFolder } from '../sample-tree.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

it('a clone makes a folder that installs from an empty cache and serves its feed', async () => {
  const place = newFolder()
  const folder = join(place, 'prices')
  const npm = (cwd: string, ...args: readonly string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8' })
  npm(project, 'run', '--silent', 'new', '--', folder, '--product', 'Grove Prices')
  expect(readdirSync(join(folder, 'vendor'))).toEqual([expect.stringMatching(/^quotetree-\d+\.\d+\.\d+\.tgz$/)])

  npm(folder, 'install', '--cache', join(place, 'cache'), '--ignore-scripts', '--no-audit', '--no-fund')
  expect(npm(folder, 'ls', '--all', '--parseable').trim().split('\n').length).toBeLessThanOrEqual(31)
  // The lock names the archive, so that the workflow and the image install it too.
  expect(readFileSync(join(folder, 'package-lock.json'), 'utf8')).toContain('"file:vendor/quotetree-')

  const config = join(folder, 'quotetree.config.ts')
  writeFileSync(config, readFileSync(config, 'utf8').replace('registry:', 'listings: 12,\n  registry:'))
  const env = { ...process.env, PORT: '0', MKT_NOW: '2026-11-20T12:00:00Z' }
  const program = join(folder, 'node_modules/quotetree/quotetree.js')
  const server = spawn(process.execPath, [program, 'start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  expect(await (await fetch(`${await addressOf(server)}/`)).text()).toContain('Grove Prices')
  server.kill('SIGTERM')
  await ended(server)
})
