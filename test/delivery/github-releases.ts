import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

interface Asset {
  readonly id: number
  name: string
  readonly bytes: Buffer
  readonly state: string
}

/** As much of GitHub's REST API as an archive asks for, in memory. Before each change `onChange` may cut the connection. */
export async function githubReleases() {
  const releases = new Map<string, { readonly id: number; readonly assets: Asset[] }>()
  const door = { onChange: (_: string): boolean => true, isImmutable: false }
  let next = 1
  const all = () => [...releases.values()]
  const shown = ({ id, name, bytes, state }: Asset) => ({ id, name, size: bytes.length, state })

  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://host')
      const path = pathname.replace('/repos/someone/data/', '')
      const say = (status: number, value?: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(value === undefined ? undefined : JSON.stringify(value))
      }
      if (request.headers.authorization !== 'Bearer job-token') return say(401, {})
      const what = `${request.method} ${path}`
      if (request.method !== 'GET' && !door.onChange(what)) return request.socket.destroy()
      const tag = /^GET releases\/tags\/(.+)$/.exec(what)?.[1]
      const describe = (id: number) => ({ id, upload_url: `${url}/upload/${id}/assets{?name,label}` })
      if (tag !== undefined) {
        const release = releases.get(tag)
        return release ? say(200, describe(release.id)) : say(404, { message: 'Not Found' })
      }
      if (what === 'POST releases') {
        const id = next++
        const { tag_name: name }: { tag_name: string } = JSON.parse(body.toString())
        releases.set(name, { id, assets: [] })
        return say(201, describe(id))
      }
      const listed = /^GET releases\/(\d+)\/assets$/.exec(what)?.[1]
      if (listed !== undefined) {
        const [page, per] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))]
        const assets = all().find(({ id }) => id === Number(listed))?.assets ?? []
        return say(200, assets.slice((page - 1) * per, page * per).map(shown))
      }
      const into = /^POST \/upload\/(\d+)\/assets$/.exec(what)?.[1]
      if (into !== undefined) {
        const release = all().find(({ id }) => id === Number(into))
        const name = searchParams.get('name') ?? ''
        if (door.isImmutable) return say(422, { message: 'Cannot upload assets to an immutable release.' })
        if (!release || release.assets.some((asset) => asset.name === name))
          return say(422, { message: 'already_exists' })
        const asset = { id: next++, name, bytes: body, state: 'uploaded' }
        release.assets.push(asset)
        return say(201, shown(asset))
      }
      const id = Number(/^\w+ releases\/assets\/(\d+)$/.exec(what)?.[1])
      const home = all().find(({ assets }) => assets.some((asset) => asset.id === id))
      const asset = home?.assets.find((one) => one.id === id)
      if (!home || !asset) return say(404, { message: 'Not Found' })
      if (request.method === 'DELETE') {
        home.assets.splice(home.assets.indexOf(asset), 1)
        return say(204)
      }
      if (request.method === 'PATCH') {
        asset.name = JSON.parse(body.toString()).name
        return say(200, shown(asset))
      }
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
      response.writeHead(from === undefined ? 200 : 206)
      return response.end(from === undefined ? asset.bytes : asset.bytes.subarray(Number(from), Number(to) + 1))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  /** Names of all assets. */
  const names = () =>
    all()
      .flatMap(({ assets }) => assets.map(({ name }) => name))
      .toSorted()
  return { url, releases, names, door, close: () => new Promise((resolve) => server.close(resolve)) }
}
