import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { isSampleLabel } from '../src/core/contract/product.ts'
import { readJson } from '../src/core/contract/read-json.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { textAt } from '../src/core/tree/reader.ts'
import { publicationHealth } from '../src/service/health.ts'
import { portOf, takePort } from '../src/service/node.ts'
import { EXIT, declare } from './command.ts'
import { environment, runTime } from './environment.ts'
import { serveTree } from './serve.ts'

/** Whether a published index is that of sample data past its freshness. Real data is not the program's to replace. */
export const isStaleSample = (index: string, now: number): boolean =>
  isSampleLabel(readJson(index, z.object({ label: z.string() }))?.label ?? '') &&
  publicationHealth(index, now).status !== 'current'

export const command = declare({
  options: {},
  async run(_, __, output) {
    const served = { tree: 'dist', queue: '.queue' }
    const last = textAt(join('dist', LAYOUT.index))
    if (last !== null && !isStaleSample(last, runTime())) return serveTree(served, output)
    let doing = 'Starting'
    const tell = (line: string): void => {
      doing = line
      output.line(line)
    }
    const waiting = await answerWaiting(() => doing)
    const port = portOf(waiting)
    tell(last === null ? 'Building a sample tree into dist' : 'Rebuilding the sample in dist: its data is stale')
    // The lists come first: a year of past prices takes several times as long.
    const lists = sample(['--history-requests', '0'], tell)
    await once(lists, 'close')
    waiting.closeAllConnections()
    await waiting[Symbol.asyncDispose]()
    if (lists.exitCode !== EXIT.done) return lists.exitCode ?? EXIT.fault
    using past = sample([], () => {})
    past.once('close', (code) => {
      if (code === EXIT.done) output.line('The prices of the past year are published, too.')
    })
    return await serveTree(served, output, port)
  },
})

/** Builds the sample in a process of its own, so that this one answers meanwhile. It ends with this one. */
function sample(options: readonly string[], tell: (line: string) => void): ChildProcess {
  const args = [process.argv[1] ?? '', 'snapshot', '--sources', 'sample', ...options]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface(child.stdout).on('line', tell)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill())
  return child
}

/** Takes the port, so that one in use is said before anything is built, and says what goes on. */
async function answerWaiting(doing: () => string) {
  const { HOST, PORT } = environment()
  const server = createServer((_, response) => {
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' })
    response.end(`${JSON.stringify({ ok: false, status: 'building', message: doing() })}\n`)
  })
  await takePort(server, HOST, PORT)
  return server
}
