import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { isStaleSample } from '../src/core/run/stale-sample.ts'
import { portError } from '../src/service/node.ts'
import { declare } from './command.ts'
import { environment, runTime } from './environment.ts'
import { serveTree } from './serve.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  without: { json: 'it serves until it is stopped' },
  options: {},
  async run(_, __, output) {
    const served = { tree: 'dist', queue: '.queue', log: false }
    const index = join('dist', LAYOUT.index)
    const last = existsSync(index) ? readFileSync(index, 'utf8') : null
    if (last !== null && !isStaleSample(last, runTime())) return serveTree(served, output)
    output.line(
      last === null ? 'Building a sample tree into dist' : 'Building the sample in dist anew: its data is stale',
    )
    let doing = 'Starting'
    const waiting = await answerWaiting(() => doing)
    const tell = (line: string): void => {
      doing = line
      output.line(line)
    }
    // The lists come first: a year of past prices takes several times as long.
    const code = await ended(sample(['--history-requests', '0'], tell))
    const port = await closed(waiting)
    if (code !== EXIT.done) return code
    const past = sample([], () => {})
    past.once('close', (ended) => {
      if (ended === EXIT.done) output.line('The prices of the past year are published, too.')
    })
    try {
      return await serveTree(served, output, port)
    } finally {
      past.kill()
    }
  },
})

/** Builds the sample in a process of its own, so that this one answers meanwhile. */
function sample(options: readonly string[], tell: (line: string) => void): ChildProcess {
  const args = [process.argv[1] ?? '', 'snapshot', '--sources', 'sample', ...options]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface(child.stdout).on('line', tell)
  return child
}

async function ended(child: ChildProcess): Promise<number> {
  await once(child, 'close')
  return child.exitCode ?? EXIT.fault
}

/** Takes the port, so that one in use is said before anything is built, and says what goes on. */
async function answerWaiting(doing: () => string): Promise<Server> {
  const { HOST, PORT } = environment()
  const server = createServer((_, response) => {
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' })
    response.end(`${JSON.stringify({ ok: false, status: 'building', message: doing() })}\n`)
  })
  server.listen(PORT, HOST)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { message } = portError(HOST, PORT, error)
    throw new UsageError(message, { cause: error })
  }
  return server
}

/** Gives the port up, and returns it. */
async function closed(server: Server): Promise<number> {
  const address = server.address()
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : environment().PORT
}
