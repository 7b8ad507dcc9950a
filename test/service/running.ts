import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { hostFiles } from '../../scripts/config.ts'
import { specs } from '../../src/core/endpoints/table.ts'
import type { HostedSite } from '../../src/service/hosts.ts'
import { newFolder } from '../sample-tree.ts'

export const has = (program: string): boolean => spawnSync('which', [program]).status === 0

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

export interface Host {
  readonly url: string
  readonly end: () => Promise<unknown>
}

/** A program that serves on a port, once it answers there. */
export async function startedIn(program: string, args: readonly string[], cwd: string, port: number): Promise<Host> {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: cwd, TZ: 'UTC' },
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  let ended = false
  const gone = new Promise((resolve) => child.once('close', resolve)).then(() => (ended = true))
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url, { method: 'HEAD' }).catch(() => null)))
    if (ended) throw new Error(`${program} ended: ${said}`)
  return { url, end: () => (child.kill(), gone) }
}

/** A feed that a host is configured for. */
export const SITE: HostedSite = {
  specs,
  tree: '',
  database: null,
  repository: null,
  cadenceMinutes: 30,
  program: 'quotetree.js',
}

interface Behind {
  readonly port: number
  /** Address of the program that answers what is no file. */
  readonly server: string
  readonly modules: readonly string[]
}

/** nginx over a tree, with the program's configuration on another port. */
export function nginxWith(tree: string, { port, server, modules }: Behind): Promise<Host> {
  const [file] = hostFiles('nginx', { ...SITE, tree })
  const text = file?.text ?? ''
  const placed = text.replace('listen 80;', `listen ${port};`).replace('127.0.0.1:8787', server.replace('http://', ''))
  const conf = modules.length > 0 ? placed.replace('# brotli_static', 'brotli_static') : placed
  const folder = newFolder()
  mkdirSync(join(folder, 'temp'))
  writeFileSync(join(folder, 'quotetree.conf'), conf)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/temp/${name};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${modules.map((module) => `load_module ${module};\n`).join('')}user root;
worker_processes 1;
pid ${folder}/pid;
error_log stderr warn;
daemon off;
events {}
http { access_log off; ${paths.join(' ')} include ${folder}/quotetree.conf; }\n`,
  )
  return startedIn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], folder, port)
}
