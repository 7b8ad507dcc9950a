import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hostFiles } from '../../scripts/config.ts'
import { addressOf } from '../e2e/commands.ts'
import { newFolder } from '../sample-tree.ts'
import { SITE } from './running.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

it('builds and serves with the scripts of the image, and ends when it is told to', async () => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  const files = hostFiles('docker', { ...SITE, program: 'scripts/quotetree.mjs' })
  for (const { path, text } of files) writeFileSync(join(folder, path), text)
  const env = {
    ...process.env,
    DATA: folder,
    TREE: join(folder, 'tree'),
    QUEUE: join(folder, 'queue'),
    HOST: '127.0.0.1',
    PORT: '0',
    SNAPSHOT_OPTIONS: '--sources sample --listings 12',
  }
  const start = (script: string) =>
    spawn('sh', [join(folder, script)], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  // The server comes first, and waits for the first snapshot.
  const server = start('serve.sh')
  const scheduler = start('schedule.sh')
  const address = await addressOf(server)
  expect((await fetch(`${address}/healthz`)).status).toBe(200)
  expect(existsSync(join(folder, 'tree/api/mkt.json'))).toBe(true)
  for (const child of [server, scheduler]) {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await gone).toEqual([0, null])
  }
})
