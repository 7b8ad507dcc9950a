import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fse from 'fs-extra'
import * as z from 'zod'
import { sha256Of } from '../src/core/contract/digest.ts'
import { PREFIX } from '../src/core/contract/prefix.ts'
import { isoOf } from '../src/core/contract/time.ts'
import { CADENCE_MS } from '../src/core/run/run.ts'
import { filesBelow } from '../src/core/tree/reader.ts'
import { DOCUMENT_CACHE, EVERY_ANSWER } from '../src/service/http.ts'
import { say } from './terminal.ts'
import { EXIT, UsageError, main } from './command.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const PROGRAM = join(import.meta.dirname, 'quotetree.mjs')

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

const Usage = z.object({ userCPUTime: z.number(), systemCPUTime: z.number(), maxRSS: z.number() })

/** Prints what a process needed when it ends: CPU of all its threads in microseconds, and the most KiB that it held. */
const COUNTER = `process.on('exit', () => console.log(JSON.stringify(process.resourceUsage())))`

function published(tree: string, at: number, listings = 1252, more: readonly string[] = []) {
  const counter = `--import=data:text/javascript,${encodeURIComponent(COUNTER)}`
  const command = ['snapshot', '--sources=sample', `--out=${tree}`, `--listings=${listings}`, '--quiet', ...more]
  const env = { ...process.env, MKT_NOW: isoOf(at) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [counter, PROGRAM, ...command], {
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  const { userCPUTime, systemCPUTime, maxRSS } = Usage.parse(JSON.parse(stdout))
  return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMiB: maxRSS / 1024 }
}

function floorOf(files: readonly (readonly [name: string, content: Buffer])[], scratch: string): number {
  const before = process.cpuUsage()
  for (const [name, content] of files) {
    fse.outputFileSync(join(scratch, name), content)
    sha256Of(content)
    if (name.endsWith('.json')) JSON.stringify(JSON.parse(content.toString('utf8')))
  }
  const { user, system } = process.cpuUsage(before)
  fse.removeSync(scratch)
  return (user + system) / 1000
}

/** Prints CPU and memory of runs beside what the bare machine needs to write their files. */
function benchRuns(work: string, listings: number, halfHours: readonly number[]): void {
  const tree = join(work, String(listings))
  for (const [index, halfHour] of halfHours.entries()) {
    const at = NOON + halfHour * CADENCE_MS
    // The past comes in for a day. A half hour that is repeated asks for none of it, which would be news.
    const isRepeated = halfHours.indexOf(halfHour) < halfHours.lastIndexOf(halfHour)
    const { cpuMs, peakMiB } = published(tree, at, listings, isRepeated ? ['--history-requests=0'] : [])
    const isNews = halfHour !== halfHours[index - 1]
    const run = halfHour === 0 ? 'fresh' : `half hour ${halfHour}${isNews ? '' : ' again'}`
    const cost = `${seconds(cpuMs)} CPU, ${(cpuMs / listings).toFixed(1)} ms a listing, ${peakMiB.toFixed(0)} MiB`
    say(`${listings} listings, ${run}: ${cost}`)
    if (!isNews) continue
    const files = filesBelow(tree, '')
      .filter((file) => fse.statSync(join(tree, file)).mtimeMs === at)
      .map((file) => [file, fse.readFileSync(join(tree, file))] as const)
    const megabytes = files.reduce((sum, [, { length }]) => sum + length, 0) / 1e6
    const floor = floorOf(files, join(work, 'floor'))
    const ratio = (cpuMs / floor).toFixed(1)
    say(`  ${files.length} files, ${megabytes.toFixed(1)} MB; floor ${seconds(floor)}, ratio ${ratio}`)
  }
}

const CONNECTIONS = 64
const LOAD_SECONDS = 5
/** Warm-up of each load before the measurement, to fill caches. */
const WARM_UP_SECONDS = 2

/** A server with nothing but node:http, the same headers, and the bodies in memory, each compressed once: the most to reach. */
const BARE = `
  import { createServer } from 'node:http'
  import { readFileSync } from 'node:fs'
  import { gzipSync } from 'node:zlib'
  const [root] = process.argv.slice(1)
  const answers = new Map()
  createServer(({ url, headers }, response) => {
    const path = url.replace('?limit=100', '/limit=100').replace(/[?].*/, '') + '.json'
    const body = answers.get(path) ?? gzipSync(readFileSync(root + path))
    answers.set(path, body)
    const shared = ${JSON.stringify({ ...EVERY_ANSWER, 'cache-control': DOCUMENT_CACHE, etag: '"bare"' })}
    if (headers['if-none-match'] === '"bare"') response.writeHead(304, shared).end()
    else response.writeHead(200, { ...shared, 'content-encoding': 'gzip', 'content-length': body.length }).end(body)
  }).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port + '/') })`

async function benchServe(work: string): Promise<void> {
  if (spawnSync('wrk', ['-v']).error) return say('Serving was not measured. Install wrk: apt-get install wrk')
  const root = join(work, 'served')
  published(root, NOON)
  const own = await measured([PROGRAM, 'serve', '--tree', root, '--queue', join(work, 'queue')])
  const bare = await measured(['--input-type=module', '--eval', BARE, root])
  say('quotetree; bare node:http; requests of the first in multiples of the second')
  for (const [index, { name, ...load }] of own.entries()) {
    const other = bare[index] ?? { perSecond: Number.NaN, p99: '' }
    const times = (load.perSecond / other.perSecond).toFixed(2)
    say(`  ${name.padEnd(8)} ${load.perSecond}/s, p99 ${load.p99}; ${other.perSecond}/s, p99 ${other.p99}; ${times}`)
  }
}

async function measured(args: readonly string[]) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [printed] = await once(child.stdout, 'data')
    const base = `${/http:\/\/[^/\s]+/.exec(String(printed))?.[0]}${PREFIX}`
    const list = `${base}/assets`
    const etag = (await fetch(list, { headers: { 'accept-encoding': 'gzip' } })).headers.get('etag')
    return [
      await loaded('list', [list]),
      await loaded('limit', [`${list}?limit=100`]),
      await loaded('profile', [`${list}/bitcoin`]),
      await loaded('history', [`${base}/history/bitcoin`]),
      await loaded('304', ['-H', `If-None-Match: ${etag}`, list]),
    ]
  } finally {
    const gone = once(child, 'exit')
    if (child.kill()) await gone
  }
}

async function loaded(name: string, target: readonly string[]) {
  const args = ['-t', '1', '-c', String(CONNECTIONS), '--latency', '-H', 'Accept-Encoding: gzip', ...target]
  const run = (duration: number) => promisify(execFile)('wrk', ['-d', `${duration}s`, ...args])
  await run(WARM_UP_SECONDS)
  const { stdout } = await run(LOAD_SECONDS)
  const [, perSecond] = /Requests\/sec:\s+([\d.]+)/.exec(stdout) ?? []
  const [, p99] = /99%\s+([\d.]+(?:us|ms|s))/.exec(stdout) ?? []
  if (perSecond === undefined || p99 === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout)
  return { name, perSecond: Math.round(Number(perSecond)), p99 }
}

const PARTS: Readonly<Record<string, (work: string) => void | Promise<void>>> = {
  run: (work) => benchRuns(work, 1252, [0, 1, 2, 2]),
  scale: (work) => [1252, 5000, 10_000].forEach((listings) => benchRuns(work, listings, [0, 1])),
  serve: benchServe,
}

await main(async () => {
  const names = process.argv.slice(2)
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name))
  if (unknown !== undefined)
    throw new UsageError(`There is no part "${unknown}". Choose from ${Object.keys(PARTS).join(', ')}.`)
  say(`${cpus().length} cores, Node ${process.version}`)
  for (const [name, measure] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue
    const work = fse.mkdtempSync(join(tmpdir(), 'quotetree-bench-'))
    try {
      // oxlint-disable-next-line no-await-in-loop -- one would slow the other down
      await measure(work)
    } finally {
      fse.removeSync(work)
    }
  }
  return EXIT.done
})
