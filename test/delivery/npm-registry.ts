import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'

const Sent = z.object({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.looseObject({})),
  _attachments: z.record(z.string(), z.object({ data: z.string() })),
})

/** As much of a registry of npm as publishing and installing ask for, in memory. */
export async function npmRegistry() {
  const packages = new Map<string, Pick<z.infer<typeof Sent>, 'name' | 'dist-tags' | 'versions'>>()
  const archives = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = decodeURIComponent(request.url ?? '').slice(1)
      if (request.method === 'PUT' && registry.isCut(path)) {
        request.socket.destroy()
        return
      }
      const archive = archives.get(path)
      if (archive) {
        response.end(archive)
        return
      }
      const [status, answer] = request.method === 'PUT' ? put(path, body, request.headers.authorization) : get(path)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  const get = (path: string): readonly [number, unknown] => {
    const [, tagged] = /^-\/package\/(.+)\/dist-tags$/.exec(path) ?? []
    const found = packages.get(tagged ?? path)
    return found ? [200, tagged === undefined ? found : found['dist-tags']] : [404, { error: 'not found' }]
  }
  function put(path: string, body: string, authorization: string | undefined): readonly [number, unknown] {
    if (authorization !== 'Bearer publisher') return [401, { error: 'no' }]
    if (path.startsWith('@taken/')) return [403, { error: 'You do not have permission' }]
    const [, tagged, tag] = /^-\/package\/(.+)\/dist-tags\/(\w+)$/.exec(path) ?? []
    if (tagged !== undefined && tag !== undefined) {
      const found = packages.get(tagged)
      if (found) found['dist-tags'][tag] = z.string().parse(JSON.parse(body))
      return [200, {}]
    }
    const sent = Sent.parse(JSON.parse(body))
    const { 'dist-tags': tags, versions } = packages.get(path) ?? { 'dist-tags': {}, versions: {} }
    packages.set(path, {
      name: path,
      'dist-tags': { ...tags, ...sent['dist-tags'] },
      versions: { ...versions, ...sent.versions },
    })
    for (const [file, { data }] of Object.entries(sent['_attachments']))
      archives.set(`${path}/-/${file}`, Buffer.from(data, 'base64'))
    return [201, {}]
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const registry = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    /** Whether the connection is cut before this request is taken. */
    isCut: (_path: string): boolean => false,
    tagsOf: (name: string) => packages.get(name)?.['dist-tags'] ?? {},
    close: () => new Promise((resolve) => server.close(resolve)),
  }
  return registry
}
