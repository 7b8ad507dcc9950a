import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type Flags, type Output, TREE, UsageError, declare } from './command.ts'
import { QUEUE, openQueue, secretOf } from './open-queue.ts'
import { PREFIX } from '../src/core/contract/prefix.ts'
import { readLastRun } from '../src/core/run/last-run.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { folderReader, textAt } from '../src/core/tree/reader.ts'
import { finishPublication } from '../src/core/tree/tree.ts'
import { editionsOf } from '../src/service/disk.ts'
import { type NodeContext, listen } from '../src/service/node.ts'
import { environment } from './environment.ts'
import { printError } from './terminal.ts'
import { publisherAt } from './tree-reader.ts'

const OPTIONS = { tree: TREE, queue: QUEUE }

export const command = declare({
  options: OPTIONS,
  notes: 'Environment: HOST and PORT to listen on, PROXIES in front of the server.',
  run: (given, _, output) => serveTree(given, output),
})

/** Growth of the heap in percent until garbage is collected. By default, 25 MB became 200 MB under attack. */
const HEAP_GROWTH = 30

export async function serveTree({ tree, queue }: Flags<typeof OPTIONS>, output: Output, port?: number): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`)
  const root = resolve(tree)
  const { HOST, PORT, PROXIES } = environment()
  const unfinished = finishPublication(root, Date.now())
  if (unfinished) printError(unfinished.message)
  if (!existsSync(join(root, LAYOUT.index)))
    throw new UsageError(`${tree} holds no published tree. Run npm run snapshot first, or npm start for a sample.`)
  const server = await listen(
    {
      ...contextOf(root),
      intake: { queue: openQueue(queue), secret: secretOf(queue) },
      proxies: PROXIES,
      connections: mostConnections(),
      lastRun: () => readLastRun(root),
    },
    HOST,
    port ?? PORT,
  )
  // Installed before the URL is printed: its reader may end the process at once.
  const stopped = new Promise<void>((end) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end())
  })
  const paths = ['', '/assets?limit=10', '/assets/bitcoin', '/history/bitcoin?days=30'].map((path) => PREFIX + path)
  const { url } = server
  output.result({ url }, () => ['Serving. Open:', ...['/', ...paths].map((path) => `  ${url}${path}`)].join('\n'))
  await stopped
  await server.close()
}

export function contextOf(root: string): Omit<NodeContext, 'intake'> {
  return {
    ...publisherAt(root),
    root,
    read: folderReader(root),
    edition: editionsOf(root, () => performance.now()),
    now: Date.now,
    report: printError,
    proxies: 0,
    connections: 1000,
  }
}

/** Limited by memory: a connection with an incomplete request holds up to 16 KiB. */
const MOST_CONNECTIONS = 2000
const SPARE_DESCRIPTORS = 256
/** The lowest common limit of file descriptors, where the system does not say its own. */
const DESCRIPTORS = 1024

/** Returns the maximum number of connections that leaves descriptors for files. Each connection, even a queued one, takes one. */
function mostConnections(): number {
  const limits = textAt('/proc/self/limits') ?? ''
  const descriptors = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? DESCRIPTORS)
  return Math.max(16, Math.min(MOST_CONNECTIONS, Math.floor(descriptors / 2), descriptors - SPARE_DESCRIPTORS))
}
