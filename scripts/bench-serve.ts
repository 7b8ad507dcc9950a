import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { buildSample } from './bench-run.ts'
import { print } from './terminal.ts'

const CONNECTIONS = 64
const SECONDS = 5
/** Warm-up of each load before the measurement, to fill caches. */
const WARM_UP_SECONDS = 2
const project = join(import.meta.dirname, '..')
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
  if (spawnSync('wrk', ['-v']).error) return print('Serving was not measured. Install wrk: apt-get install wrk')
  const start = (args: readonly string[], port: number) =>
    spawn(process.execPath, args, { cwd: project, env: { ...process.env, PORT: String(port) }, stdio: 'ignore' })
  const queue = join(work, 'queue')
  const own = await measured({ root, work }, (port) =>
    start(['scripts/quotetree.mjs', 'serve', '--tree', root, '--queue', queue], port),
  )
  const bare = await measured({ root, work }, (port) =>
    start(['--input-type=module', '--eval', BARE, root, String(port)], port),
  )
  print('quotetree; bare node:http; the first in multiples of the second')
  for (const [at, [name, load]] of own.entries()) {
    const other = bare[at]?.[1]
    const times = (member: keyof typeof load) => (load[member] / (other?.[member] ?? Number.NaN)).toFixed(2)
    print(
      `  ${name.padEnd(20)} ${textOf(load)}; ${other && textOf(other)}; ${times('perSecond')}, p99 ${times('p99Ms')}`,
    )
  }
}

const textOf = ({ perSecond, p99Ms, failed }: Awaited<ReturnType<typeof loaded>>): string =>
  `${perSecond.toFixed(0).padStart(7)}/s  p99 ${p99Ms.toFixed(1).padStart(6)} ms${failed > 0 ? `, ${failed} failed` : ''}`

async function measured({ root, work }: { root: string; work: string }, start: (port: number) => ChildProcess) {
  const port = await freePort()
  const child = start(port)
  const script = (name: string, lua: string): string[] => {
    writeFileSync(join(work, name), lua)
    return ['-s', join(work, name)]
  }
  try {
    const base = `http://127.0.0.1:${port}/api/mkt`
    const list = `${base}/assets?limit=100`
    const etag = await etagOf(list)
    const slugs = readdirSync(join(root, 'api/mkt/assets')).flatMap((name) => /^[a-z0-9-]+(?=\.json$)/.exec(name) ?? [])
    const random = `local slugs = {${slugs.map((slug) => `"${slug}"`).join(',')}}
      math.randomseed(20261120)
      request = function() return wrk.format("GET", "/api/mkt/assets/" .. slugs[math.random(#slugs)]) end`
    const unique = `local n = 0
      request = function() n = n + 1; return wrk.format("GET", "/api/mkt/markets?x=" .. n) end`
    // One document under a new address each time: what a cache by address would answer from the disk.
    const asUnique = script('unique.lua', unique)
    const inBr = () => loaded(`${base}/markets`, [], 'br')
    const [beside] = await Promise.all([inBr(), loaded(base, asUnique, 'br')])
    return [
      ['assets?limit=100', await loaded(list, [])],
      ['random profile', await loaded(base, script('profile.lua', random))],
      ['markets?x=N', await loaded(base, asUnique)],
      ['markets in br', await inBr()],
      ['beside markets?x=N', beside],
      ['the same list, 304', await loaded(list, ['-H', `If-None-Match: ${etag}`])],
    ] as const
  } finally {
    const gone = once(child, 'exit')
    if (child.kill()) await gone
  }
}

/** Loads an address with wrk. Failed requests have no answer, or a status of 400 or above. */
async function loaded(url: string, more: readonly string[], coding: 'br' | 'gzip' = 'gzip') {
  const args = ['-t', '1', '-c', String(CONNECTIONS), '--latency', '-H', `Accept-Encoding: ${coding}`, ...more, url]
  await run('wrk', ['-d', `${WARM_UP_SECONDS}s`, ...args])
  const { stdout } = await run('wrk', ['-d', `${SECONDS}s`, ...args])
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

async function etagOf(url: string): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } }).catch(() => null)
    await response?.arrayBuffer()
    if (response?.ok) return response.headers.get('etag') ?? ''
    await sleep(100)
  }
  throw new Error(`${url} did not answer`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (typeof address !== 'object' || address === null) throw new Error('no free port')
  return address.port
}
