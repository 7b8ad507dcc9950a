import { spawn } from 'node:child_process'
import { type ServerResponse, createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

const repeated = (text: string, bytes: number): Buffer => Buffer.alloc(bytes, text)

/** Sends a list of a number of bytes: `[`, a part again and again, and a last element. */
const list = (part: string, bytes: number, last: string) => (response: ServerResponse) => {
  const block = repeated(part, Math.floor(2 ** 20 / part.length) * part.length)
  let left = bytes
  const more = (): void => {
    while (left > 0) {
      left -= block.length
      if (!response.write(block)) {
        response.once('drain', more)
        return
      }
    }
    response.end(last)
  }
  response.writeHead(200, { 'content-type': 'application/json' }).write('[')
  more()
}

/** Answers made to fill a memory, in every form that a list is asked for. */
export const BOMBS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'one endless row': list('"x', 60 * 2 ** 20, '"]'),
  'rows of nothing': list('{},', 15 * 2 ** 20, '{}]'),
  'rows with a name each of their own': (response) => {
    const rows = Array.from({ length: 400_000 }, (_, at) => `{"m${at.toString(36)}":1}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end(`[${rows.join()}]`)
  },
  'lists in lists': list('['.repeat(64), 15 * 2 ** 20, ']'),
  'a stream without end': list('"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",', 2 ** 40, '0]'),
  'a page of one large row, again and again': (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(`[{"id":"${'x'.repeat(10 * 2 ** 20)}"}]`),
}

/** Files that somebody hands in, made to fill a memory: `read-in-child.ts` makes and reads them. */
export const DENSE_FILES = ['a recording at its limit'] as const
export type DenseFile = (typeof DENSE_FILES)[number]

const Printed = z.object({ peakMiB: z.number(), ends: z.array(z.tuple([z.string(), z.string().nullable()])) })

async function printedBy(script: string, ...given: readonly string[]): Promise<unknown> {
  const file = fileURLToPath(new URL(script, import.meta.url))
  // The heap grows as that of the program does; by default it may grow fourfold on a busy machine.
  const args = ['--heap-growing-percent=40', '--import', 'tsx', file, ...given]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (part) => (out += String(part)))
  child.stderr.on('data', (part) => (err += String(part)))
  const code = await new Promise((ended) => child.once('close', ended))
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}: ${err.slice(-2000)}`)
  return JSON.parse(out)
}

const Read = z.object({ peakMiB: z.number(), ends: z.string() })

/** What becomes of a file that fills a memory, in a process of its own. */
export async function readDense(name: DenseFile, folder: string): Promise<z.infer<typeof Read>> {
  await printedBy('read-in-child.ts', name, folder, 'make')
  return Read.parse(await printedBy('read-in-child.ts', name, folder, 'read'))
}

/** What becomes of a collection, in a process of its own, when every host answers so. */
export async function collectedUnder(bomb: (response: ServerResponse) => void): Promise<z.infer<typeof Printed>> {
  const server = createServer((_, response) => {
    response.on('error', () => {})
    bomb(response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  try {
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    return Printed.parse(await printedBy('collect-in-child.ts', url))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
