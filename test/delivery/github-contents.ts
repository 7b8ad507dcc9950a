import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'

const Given = z.object({
  ref: z.string().optional(),
  content: z.string().optional(),
  branch: z.string().optional(),
  head: z.string().optional(),
  title: z.string().optional(),
  body: z.string().optional(),
})

/** As much of GitHub's REST API as a pull request with one file asks for, in memory. */
export async function githubContents() {
  /** Files of each branch. */
  const branches = new Map<string, Map<string, string>>([['trunk', new Map()]])
  const pulls: { head: string; title: string; body: string }[] = []

  function answerTo(what: string, given: z.infer<typeof Given>): readonly [number, unknown] {
    if (what === 'GET ') return [200, { default_branch: 'trunk' }]
    if (what === 'GET git/ref/heads/trunk') return [200, { object: { sha: 'a'.repeat(40) } }]
    const name = given.ref?.replace('refs/heads/', '') ?? ''
    if (what === 'POST git/refs') {
      if (branches.has(name)) return [422, { message: 'Reference already exists' }]
      branches.set(name, new Map())
      return [201, {}]
    }
    const [, file] = /^PUT contents\/(.+)$/.exec(what) ?? []
    if (file !== undefined) {
      branches.get(given.branch ?? '')?.set(file, Buffer.from(given.content ?? '', 'base64').toString())
      return [201, {}]
    }
    const [, gone] = /^DELETE git\/refs\/heads\/(.+)$/.exec(what) ?? []
    if (gone !== undefined) return branches.delete(gone) ? [204, null] : [422, {}]
    if (what !== 'POST pulls') return [404, { message: 'Not Found' }]
    pulls.push({ head: given.head ?? '', title: given.title ?? '', body: given.body ?? '' })
    return [201, { html_url: `https://github.example/someone/data/pull/${pulls.length}` }]
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = (request.url ?? '').replace(/^\/repos\/someone\/data\/?/, '')
      const [status, answer] = answerTo(`${request.method} ${path}`, Given.parse(body === '' ? {} : JSON.parse(body)))
      const isAllowed = request.headers.authorization === 'Bearer job-token'
      response.writeHead(isAllowed ? status : 401, { 'content-type': 'application/json' })
      response.end(isAllowed && answer !== null ? JSON.stringify(answer) : '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return { url, branches, pulls, close: () => new Promise((resolve) => server.close(resolve)) }
}
