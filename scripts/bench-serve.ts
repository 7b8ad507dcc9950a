import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

const CONNECTIONS = 64
const SECONDS = 5
/** Warm-up of each load before the measurement, to fill caches. */
const WARM_UP_SECONDS = 2
const project = join(import.meta.dirname, '..')

/** Result of wrk for one server and one load. */
export interface Load {
  readonly perSecond: number
  readonly p99Ms: number
  /** Requests without an answer or with a status of 400 or above. */
  readonly failed: number
}

/** One server under every load, with its peak memory in MiB; null if it exited or the system does not report it. */
export interface Served {
  readonly server: string
  /** Null if the server exited under that load. */
  readonly loads: Readonly<Record<string, Load | null>>
  readonly memoryMiB: number | null
}

interface Peer {
  readonly name: string
  /** Servers without query support are asked for the file. */
  readonly asks: 'queries' | 'files'
  readonly start: (port: number) => ChildProcess
}

const run = promisify(execFile)
const isThere = async (command: string): Promise<boolean> =>
  run(command, ['-v']).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOENT'),
  )

/**
 * Measures requests per second of this server and of others on the same tree, one at a time, over 64 connections with
 * gzip, or br where it says so. Returns null if wrk is not installed, and no row for nginx if nginx is not. Writes `.gz` files into the tree,
 * which sirv and nginx need.
 */
export async function benchServe(root: string, work: string): Promise<readonly Served[] | null> {
  if (!(await isThere('wrk'))) return null
  precompress(root)
  const peers: Peer[] = [
    {
      name: 'quotetree',
      asks: 'queries',
      start: (port) =>
        spawn(process.execPath, ['scripts/quotetree.mjs', 'serve', '--tree', root, '--queue', join(work, 'queue')], {
          cwd: project,
          env: { ...process.env, PORT: String(port) },
          stdio: 'ignore',
        }),
    },
    {
      name: 'sirv',
      asks: 'files',
      start: (port) =>
        spawn(
          process.execPath,
          [
            '--input-type=module',
            '--eval',
            `import sirv from 'sirv'; import { createServer } from 'node:http'
             createServer(sirv(${JSON.stringify(root)}, { gzip: true, etag: true })).listen(${port}, '127.0.0.1')`,
          ],
          { cwd: project, stdio: 'ignore' },
        ),
    },
    {
      name: 'serve',
      asks: 'files',
      start: (port) =>
        spawn(process.execPath, ['node_modules/serve/build/main.js', '-L', '-l', `tcp://127.0.0.1:${port}`, root], {
          cwd: project,
          stdio: 'ignore',
        }),
    },
  ]
  if (await isThere('nginx'))
    peers.push({
      name: 'nginx',
      asks: 'queries',
      start: (port) => spawn('nginx', ['-c', nginxConfig(root, work, port)], { stdio: 'ignore' }),
    })
  const served: Served[] = []
  for (const peer of peers) served.push(await measured(peer, root, work))
  return served
}

async function measured({ name, asks, start }: Peer, root: string, work: string): Promise<Served> {
  const port = await freePort()
  const child = start(port)
  try {
    const base = `http://127.0.0.1:${port}/api/mkt`
    const list = asks === 'queries' ? `${base}/assets?limit=100` : `${base}/assets/limit=100.json`
    const etag = await etagOf(list)
    const extension = asks === 'queries' ? '' : '.json'
    const markets = `${base}/markets${extension}`
    const unique = ['-s', uniqueQueries(work, extension)]
    const loads = {
      'assets?limit=100': await load(list, []),
      'random profile': await load(base, ['-s', randomProfile(root, work, extension)]),
      // One document under a new address each time: what a cache by address would answer from the disk.
      'markets?x=N': await load(base, unique),
      'markets in br': await load(markets, [], 'br'),
      'beside markets?x=N': (await Promise.all([load(markets, [], 'br'), load(base, unique, 'br')]))[0],
      // Last, because `serve` leaks a file descriptor per 304 and exits at the limit.
      'the same list, 304': await load(list, ['-H', `If-None-Match: ${etag}`]),
    }
    return { server: name, loads, memoryMiB: memoryOf(child) }
  } finally {
    const gone = once(child, 'exit')
    if (child.kill()) await gone
  }
}

async function load(url: string, more: readonly string[], coding: 'br' | 'gzip' = 'gzip'): Promise<Load | null> {
  const args = ['-t', '1', '-c', String(CONNECTIONS), '--latency', '-H', `Accept-Encoding: ${coding}`, ...more, url]
  const measure = (time: number) =>
    run('wrk', ['-d', `${time}s`, ...args]).catch((error: unknown) => {
      if (String(error).includes('unable to connect')) return null
      throw error
    })
  await measure(WARM_UP_SECONDS)
  const stdout = (await measure(SECONDS))?.stdout
  if (stdout === undefined) return null
  const [, perSecond] = /Requests\/sec:\s+([\d.]+)/.exec(stdout) ?? []
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? []
  const errors = [...stdout.matchAll(/(?:Non-2xx or 3xx responses:|connect|read|write|timeout) (\d+)/g)]
  if (perSecond === undefined || p99 === undefined) throw new Error(`unexpected output of wrk: ${stdout}`)
  return {
    perSecond: Number(perSecond),
    p99Ms: Number(p99) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1),
    failed: errors.reduce((sum, [, count]) => sum + Number(count), 0),
  }
}

/** Waits for the server and returns the ETag of its answer. */
async function etagOf(url: string): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } }).catch(() => null)
    await response?.arrayBuffer()
    if (response?.ok) return response.headers.get('etag') ?? ''
    await sleep(100)
  }
  throw new Error(`${url} did not answer`)
}

function randomProfile(root: string, work: string, extension: string): string {
  const slugs = readdirSync(join(root, 'api/mkt/assets')).flatMap(
    (name) => /^([a-z0-9-]+)\.json$/.exec(name)?.[1] ?? [],
  )
  const script = join(work, `profile${extension}.lua`)
  writeFileSync(
    script,
    `local slugs = {${slugs.map((slug) => `"${slug}"`).join(',')}}
     math.randomseed(20261120)
     request = function() return wrk.format("GET", "/api/mkt/assets/" .. slugs[math.random(#slugs)] .. "${extension}") end`,
  )
  return script
}

function uniqueQueries(work: string, extension: string): string {
  const script = join(work, `unique${extension}.lua`)
  writeFileSync(
    script,
    `local n = 0
     request = function() n = n + 1; return wrk.format("GET", "/api/mkt/markets${extension}?x=" .. n) end`,
  )
  return script
}

function precompress(root: string): void {
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.json')) writeFileSync(join(root, `${name}.gz`), gzipSync(readFileSync(join(root, name))))
}

/** Returns a minimal nginx configuration, tuned by hand. */
function nginxConfig(root: string, work: string, port: number): string {
  const prefix = join(work, 'nginx')
  mkdirSync(prefix, { recursive: true })
  const file = join(prefix, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    file,
    `daemon off; user root; worker_processes 1; pid ${prefix}/pid; error_log ${prefix}/error.log;
     events { worker_connections 1024; }
     http {
       access_log off; sendfile on; keepalive_requests 1000000; open_file_cache max=20000; types {} default_type application/json;
       ${temporary.map((name) => `${name}_temp_path ${prefix}/${name};`).join(' ')}
       server {
         listen 127.0.0.1:${port}; root ${root}; gzip_static on;
         location = /api/mkt/assets { try_files /api/mkt/assets/limit=$arg_limit.json /api/mkt/assets.json =404; }
         location / { try_files $uri.json $uri =404; }
       }
     }`,
  )
  return file
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (typeof address !== 'object' || address === null) throw new Error('no free port')
  return address.port
}

function memoryOf({ pid }: ChildProcess): number | null {
  try {
    const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kib === undefined ? null : Number(kib) / 1024
  } catch {
    return null
  }
}
