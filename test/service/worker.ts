import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { workerProgram } from '../../scripts/programs.ts'
import { miniflare as workerd } from '../tools.ts'

/** The Worker in workerd, in front of a tree in a folder, with a clock of its own if a time is given. */
export async function workerOver(
  root: string,
  bindings: Record<string, string> = { QUEUE_SECRET: 'x'.repeat(32) },
  now: number | null = null,
) {
  const [program, { Miniflare, Response: Answer }] = [await workerProgram(), await workerd()]
  const script = now === null ? program : program.replace('now:Date.now', `now:()=>${now}`)
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.js', contents: script }],
    compatibilityDate: '2026-04-01',
    d1Databases: ['REQUESTS'],
    bindings,
    // What static assets are to a Worker with `html_handling: auto-trailing-slash`.
    serviceBindings: { ASSETS: async (request: Request) => assetOf(root, new URL(request.url).pathname, Answer) },
    cf: false,
  })
  const url = (await miniflare.ready).origin
  return { url, miniflare, bytes: Buffer.byteLength(script) }
}

function assetOf(root: string, path: string, Answer: typeof Response): Response {
  if (path.endsWith('.html')) return new Answer(null, { status: 307, headers: { location: path.slice(0, -5) } })
  const name = decodeURIComponent(path)
  const files = name.endsWith('/') ? [`${name}index.html`] : [name, `${name}.html`]
  const file = files.map((one) => join(root, one)).find((one) => statSync(one, { throwIfNoEntry: false })?.isFile())
  return file === undefined ? new Answer(null, { status: 404 }) : new Answer(readFileSync(file))
}
