import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
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

/** nginx with this file among its own. */
export function nginxWith(conf: string, port: number, modules: readonly string[]): Promise<Host> {
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
