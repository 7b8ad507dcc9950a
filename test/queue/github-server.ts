import { createHash } from 'node:crypto'
import { type IncomingMessage, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import * as z from 'zod'

const Put = z.object({ message: z.string(), content: z.base64(), branch: z.string(), sha: z.string().optional() })

const Drop = z.object({ message: z.string(), branch: z.string(), sha: z.string() })

/** As much of GitHub's REST API as a queue asks for, in memory, with the status codes that its pages document. */
export interface GitHubServer {
  readonly url: string
  readonly token: string
  readonly repository: string
  /** Text of each file of the branch. */
  readonly files: Map<string, string>
  readonly messages: string[]
  /** Methods and paths that were asked for. */
  readonly asked: string[]
  /** Answers so many writes with 409, as when the branch moves under them. */
  conflicts: number
  /** Answers everything with this status. */
  failing: number | null
  readonly close: () => Promise<unknown>
}

const shaOf = (content: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex')
const base64 = (content: string): string => Buffer.from(content).toString('base64').replaceAll(/.{60}/g, '$&\n')

export async function githubServer(): Promise<GitHubServer> {
  const files = new Map<string, string>()
  const state = { token: 'a-token', repository: 'someone/requests', files, messages: [], asked: [] }
  const fake: GitHubServer = Object.assign(state, { conflicts: 0, failing: null, url: '', close: async () => null })

  async function answer(request: IncomingMessage): Promise<readonly [number, unknown]> {
    const { pathname } = new URL(request.url ?? '', 'http://host')
    const body = await text(request)
    fake.asked.push(`${request.method} ${pathname}`)
    if (fake.failing !== null) return [fake.failing, { message: 'Something' }]
    if (request.headers.authorization !== `Bearer ${fake.token}`) return [401, { message: 'Bad credentials' }]
    const prefix = `/repos/${fake.repository}/`
    if (!pathname.startsWith(prefix)) return [404, { message: 'Not Found' }]
    const rest = pathname.slice(prefix.length)
    if (rest.startsWith('contents/')) {
      const path = rest.slice('contents/'.length)
      if (request.method === 'DELETE') return drop(path, body)
      return request.method === 'PUT' ? put(path, body) : get(path)
    }
    if (rest === 'git/trees/main') {
      if (files.size === 0) return [409, { message: 'Git Repository is empty.' }]
      const tree = [...files].map(([path, content]) => ({ path, mode: '100644', type: 'blob', sha: shaOf(content) }))
      return [
        200,
        { sha: 'tree', truncated: false, tree: [{ path: 'requests', type: 'tree', sha: 'folder' }, ...tree] },
      ]
    }
    const content = [...files.values()].find((held) => rest === `git/blobs/${shaOf(held)}`)
    return content === undefined
      ? [404, { message: 'Not Found' }]
      : [200, { sha: shaOf(content), encoding: 'base64', content: base64(content) }]
  }
  function get(path: string): readonly [number, unknown] {
    const content = files.get(path)
    return content === undefined
      ? [404, { message: 'Not Found' }]
      : [200, { type: 'file', path, sha: shaOf(content), encoding: 'base64', content: base64(content) }]
  }
  function drop(path: string, body: string): readonly [number, unknown] {
    const { message, sha } = Drop.parse(JSON.parse(body))
    const held = files.get(path)
    if (fake.conflicts > 0) {
      fake.conflicts--
      return [409, { message: 'is at 1 but expected 2' }]
    }
    if (held === undefined) return [404, { message: 'Not Found' }]
    if (shaOf(held) !== sha) return [409, { message: `does not match ${sha}` }]
    files.delete(path)
    fake.messages.push(message)
    return [200, { commit: { message } }]
  }
  function put(path: string, body: string): readonly [number, unknown] {
    const { message, content, sha } = Put.parse(JSON.parse(body))
    const held = files.get(path)
    if (fake.conflicts > 0) {
      fake.conflicts--
      return [409, { message: 'is at 1 but expected 2' }]
    }
    if (held !== undefined && sha === undefined) return [422, { message: '"sha" wasn\'t supplied.' }]
    if (sha !== undefined && (held === undefined || shaOf(held) !== sha))
      return [409, { message: `does not match ${sha}` }]
    files.set(path, Buffer.from(content, 'base64').toString())
    fake.messages.push(message)
    return [held === undefined ? 201 : 200, { content: { path }, commit: { message } }]
  }

  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = z.custom<AddressInfo>().parse(server.address())
  return Object.assign(fake, {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  })
}
