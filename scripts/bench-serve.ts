import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { buildSample } from './bench-build.ts'
import { print } from './terminal.ts'

const CONNECTIONS = 64
const SECONDS = 5
/** Warm-up of each load before the measurement, to fill caches. */
const WARM_UP_SECONDS = 2
const project = join(import.meta.dirname, '..')

/** Result of wrk for one server and one load. */
interface Load {
  readonly perSecond: number
  readonly p99Ms: number
  /** Requests without an answer or with a status of 400 or above. */
  readonly failed: number
}

/** One server under every load, with its peak memory in MiB; null if it exited or the system does not report it. */
interface Served {
  readonly server: string
  /** Null if the server exited under that load. */
  readonly loads: Readonly<Record<string, Load | null>>
  readonly memoryMiB: number | null
}

interface Peer {
  readonly name: string
  readonly start: (port: number) => ChildProcess
}

const run = promisify(execFile)

/** A server with nothing but node:http and the bodies in memory, each compressed once: what this one can reach at most. */
const BARE = `
  import { createServer } from 'node:http'
  import { readFileSync } from 'node:fs'
  import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
  const [root, port] = process.argv.slice(1)
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
  const answers = new Map()
  createServer(({ url, headers }, response) => {
    const path = url.replace('?limit=100', '/limit=100').replace(/[?].*/, '') + '.json'
    const coding = headers['accept-encoding'] === 'br' ? 'br' : 'gzip'
    const known = answers.get(coding + path)
    const text = known ? null : readFileSync(root + path)
    const body = known ?? (coding === 'br' ? brotliCompressSync(text, quality) : gzipSync(text))
    answers.set(coding + path, body)
    const shared = { 'content-type': 'application/json; charset=utf-8', etag: '"bare"', vary: 'Accept-Encoding' }
    if (headers['if-none-match'] === '"bare"') response.writeHead(304, shared).end()
    else response.writeHead(200, { ...shared, 'content-encoding': coding, 'content-length': body.length }).end(body)
  }).listen(Number(port), '127.0.0.1')`

/**
 * Prints requests per second of this server and of bare node:http on the same tree, one at a time, over 64 connections with
 * gzip, or br where it says so.
 */
export async function benchServe(work: string, at: number): Promise<void> {
  const root = join(work, 'served')
  await buildSample(root, at)
  const hasWrk = await run('wrk', ['-v']).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOENT'),
  )
  if (!hasWrk) {
    print('Serving was not measured. Install wrk: apt-get install wrk')
    return
  }
  const peers: readonly Peer[] = [
    {
      name: 'quotetree',
      start: (port) =>
        spawn(process.execPath, ['scripts/quotetree.mjs', 'serve', '--tree', root, '--queue', join(work, 'queue')], {
          cwd: project,
          env: { ...process.env, PORT: String(port) },
          stdio: 'ignore',
        }),
    },
    {
      name: 'bare node:http',
      start: (port) =>
        spawn(process.execPath, ['--input-type=module', '--eval', BARE, root, String(port)], { stdio: 'ignore' }),
    },
  ]
  const served: Served[] = []
  for (const peer of peers) served.push(await measured(peer, root, work))
  const [own] = served
  for (const { server, loads, memoryMiB } of served) {
    print(memoryMiB === null ? `${server}:` : `${server}: peak ${memoryMiB.toFixed(0)} MiB`)
    for (const [name, load] of Object.entries(loads)) print(`  ${name.padEnd(20)} ${loadText(load, own?.loads[name])}`)
  }
}

/** Returns a load as text, with how this server compares where it is that of another. */
function loadText(load: Load | null, own: Load | null | undefined): string {
  if (load === null) return 'the server exited'
  const against =
    !own || own === load
      ? ''
      : `  Quotetree: ${(own.perSecond / load.perSecond).toFixed(2)} x, p99 ${(own.p99Ms / load.p99Ms).toFixed(2)} x`
  const failed = load.failed > 0 ? `, ${load.failed} failed` : ''
  return `${load.perSecond.toFixed(0).padStart(7)}/s  p99 ${load.p99Ms.toFixed(1).padStart(6)} ms${failed}${against}`
}

async function measured({ name, start }: Peer, root: string, work: string): Promise<Served> {
  const port = await freePort()
  const child = start(port)
  try {
    const base = `http://127.0.0.1:${port}/api/mkt`
    const list = `${base}/assets?limit=100`
    const etag = await etagOf(list)
    const markets = `${base}/markets`
    const unique = ['-s', uniqueQueries(work)]
    const loads = {
      'assets?limit=100': await load(list, []),
      'random profile': await load(base, ['-s', randomProfile(root, work)]),
      // One document under a new address each time: what a cache by address would answer from the disk.
      'markets?x=N': await load(base, unique),
      'markets in br': await load(markets, [], 'br'),
      'beside markets?x=N': (await Promise.all([load(markets, [], 'br'), load(base, unique, 'br')]))[0],
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

function randomProfile(root: string, work: string): string {
  const slugs = readdirSync(join(root, 'api/mkt/assets')).flatMap(
    (name) => /^([a-z0-9-]+)\.json$/.exec(name)?.[1] ?? [],
  )
  const script = join(work, 'profile.lua')
  writeFileSync(
    script,
    `local slugs = {${slugs.map((slug) => `"${slug}"`).join(',')}}
     math.randomseed(20261120)
     request = function() return wrk.format("GET", "/api/mkt/assets/" .. slugs[math.random(#slugs)]) end`,
  )
  return script
}

function uniqueQueries(work: string): string {
  const script = join(work, 'unique.lua')
  writeFileSync(
    script,
    `local n = 0
     request = function() n = n + 1; return wrk.format("GET", "/api/mkt/markets?x=" .. n) end`,
  )
  return script
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
