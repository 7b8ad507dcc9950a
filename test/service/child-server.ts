import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { type Socket, connect } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { print } from '../../src/core/contract/text.ts'
import { newFolder } from '../sample-tree.ts'
import { AT } from './world.ts'

const project = join(import.meta.dirname, '../..')

/** The server as users start it, in a process of its own. */
export interface ChildServer {
  readonly url: string
  readonly port: number
  /** What it wrote to its standard error output. */
  readonly errors: () => string
  readonly isRunning: () => boolean
  /** The most memory it ever held, in MiB. */
  readonly peakMiB: () => number
  readonly descriptors: () => number
  /** Stops the process, as a long turn of its event loop does, and lets it go on after `during`. */
  readonly stopped: (during: () => Promise<void>) => Promise<void>
  readonly end: () => Promise<void>
}

/** Starts `npm run serve` over a folder, with a limit of descriptors. */
export async function childServer(root: string, descriptors: number): Promise<ChildServer> {
  const command = `ulimit -n ${descriptors}; exec "$0" --import tsx scripts/quotetree.ts serve --tree "$1" --queue "$2"`
  const child = spawn('sh', ['-c', command, process.execPath, root, newFolder()], {
    cwd: project,
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += String(chunk)))
  const gone = once(child, 'exit')
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    url = /http:\/\/[\d.:]+/.exec(line)?.[0] ?? ''
    if (url !== '') break
  }
  child.stdout.resume()
  if (url === '') throw new Error(`the server did not start: ${errors}`)
  const status = () => readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return {
    url,
    port: Number(new URL(url).port),
    errors: () => errors,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    peakMiB: () => Number(/VmHWM:\s+(\d+)/.exec(status())?.[1]) / 1024,
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    async stopped(during) {
      child.kill('SIGSTOP')
      await during()
      child.kill('SIGCONT')
    },
    async end() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

export function longTree(): string {
  const root = newFolder()
  const rows = Array.from({ length: 2000 }, (_, index) => ({ slug: `asset-${index}`, text: `${index} `.repeat(110) }))
  const envelope = {
    ok: true,
    product: 'Quotetree',
    endpoint: 'x',
    timestamp: AT,
    sourceStatus: 'ok',
    sourceError: null,
  }
  const files = {
    'api/mkt.json': print({ ...envelope, version: 'v1' }),
    'api/mkt/assets.json': print({ ...envelope, count: rows.length, total: rows.length, rows }),
    'api/mkt/markets.json': print({ ...envelope, count: rows.length, total: rows.length, rows }),
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return root
}

interface SilentClients {
  /** Sends bytes over each connection, and returns when the kernel has them or the connection is lost. */
  readonly send: (bytes: string) => Promise<void>
  readonly close: () => void
}

/** Opens connections that send these bytes each and never read. */
export async function silentClients(port: number, bytes: readonly string[]): Promise<SilentClients> {
  const sockets: Socket[] = []
  for (const text of bytes) {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.pause()
    sockets.push(socket)
    // Not more at once than a server with few descriptors has places for.
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    socket.write(text)
  }
  const sent = (socket: Socket, text: string) => new Promise<void>((done) => socket.write(text, () => done()))
  return {
    send: async (text) => void (await Promise.all(sockets.map((socket) => sent(socket, text)))),
    close: () => sockets.forEach((socket) => socket.destroy()),
  }
}

/** The status of the index, in a connection of its own. The data of a test is too old for `/healthz`. */
export async function health(url: string): Promise<number> {
  const response = await fetch(`${url}/api/mkt`, { headers: { connection: 'close' } })
  await response.arrayBuffer()
  return response.status
}
