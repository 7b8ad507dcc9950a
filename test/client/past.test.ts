import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSnapshot } from '../../src/delivery/add-snapshot.ts'
import { folderStore } from '../../src/delivery/folder-archive.ts'
import { RETENTION } from '../../src/delivery/retention.ts'
import { snapshotDocuments } from '../../src/delivery/snapshot-documents.ts'
import { NoMirrorError, NotFoundError, createClient } from '../../src/client/client.ts'
import { Tree } from '../../src/tree/tree.ts'
import { NOON, newFolder, sharedSampleTree } from '../sample-tree.ts'
import { type Host, hostOf, ownHost } from './hosts.ts'

const archive = newFolder()
const world = { tree: '', file: '', bytes: Buffer.alloc(0) }
const open: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  world.tree = await sharedSampleTree()
  const store = folderStore(join(archive, 'archive'), () => NOON)
  const { snapshot } = await addSnapshot(store, snapshotDocuments(new Tree(world.tree)), RETENTION)
  world.file = snapshot.file
  world.bytes = readFileSync(join(archive, 'archive', snapshot.file))
  writeFileSync(join(archive, 'page.html'), '')
})
afterAll(() => Promise.all(open.map((close) => close())))

const published = (path: string): unknown => JSON.parse(readFileSync(join(world.tree, path), 'utf8'))

/** A host of the archive that answers requests for snapshot files as it likes. */
async function hostThat(
  answer: (request: IncomingMessage, response: ServerResponse, range: readonly [number, number]) => void,
): Promise<Host> {
  const host = await hostOf((request, response) => {
    const path = (request.url ?? '').replace(/^\//, '')
    if (!path.endsWith('.zip')) {
      response.end(readFileSync(join(archive, path)))
      return
    }
    const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    answer(request, response, [Number(from), Number(to)])
  })
  open.push(() => host.close())
  return host
}
const clientOf = (...hosts: readonly Host[]) =>
  createClient({ mirrors: 'https://none.example', archives: hosts.map(({ url }) => `${url}/archive`) })

describe('the API at a time', () => {
  it('answers from our server with ranges, as it was published', async () => {
    const own = await ownHost(archive, NOON)
    open.push(() => own.close())
    const asked: [status: number, bytes: number][] = []
    const fetch: typeof globalThis.fetch = async (...request) => {
      const answer = await globalThis.fetch(...request)
      asked.push([answer.status, (await answer.clone().arrayBuffer()).byteLength])
      return answer
    }
    const client = createClient({ mirrors: own.url, fetch })
    const past = client.at('2026-11-20T12:10:00Z')
    const { data, stale, mirror } = await past.asset('bitcoin')
    expect(data).toEqual(published('api/mkt/assets/bitcoin.json'))
    expect([stale, mirror]).toEqual([false, `${own.url}/archive`])
    // The list of the day, the end of the file, and one entry.
    expect(asked.map(([status]) => status)).toEqual([200, 206, 206])

    expect((await past.assetMarkets('bitcoin')).data).toEqual(published('api/mkt/assets/bitcoin/markets.json'))
    expect((await past.assets({ limit: 3 })).data.rows).toHaveLength(3)
    expect((await past.prices({ ids: ['ethereum'], vs: 'eur' })).data.prices).toHaveProperty('ethereum')
    expect((await past.index()).data).toEqual(published('api/mkt.json'))
    await expect(past.asset('no-such-coin')).rejects.toThrow(NotFoundError)
    await expect(past.history('bitcoin')).rejects.toThrow(NotFoundError)
    await expect(past.submitListingRequest({ name: 'A', symbol: 'A' })).rejects.toThrow('takes no listing requests')
    expect((await client.at(NOON + 86_400_000).asset('bitcoin')).stale).toBe(true)
    await expect(client.at(NOON - 1).asset('bitcoin')).rejects.toThrow('there is no snapshot until')
    expect(() => client.at('yesterday')).toThrow(TypeError)
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(client.at(NOON).asset('bitcoin', { signal })).rejects.toThrow('enough')
  })

  it('reads a file once and whole from a host that ignores ranges', async () => {
    const host = await hostThat((_, response) => response.end(world.bytes))
    const past = clientOf(host).at(NOON)
    expect((await past.asset('bitcoin')).data).toEqual(published('api/mkt/assets/bitcoin.json'))
    expect((await past.markets()).data).toEqual(published('api/mkt/markets.json'))
    expect(host.log.filter((line) => line.endsWith('.zip'))).toHaveLength(1)
  })

  const part = (response: ServerResponse, bytes: Uint8Array) => {
    response.writeHead(206)
    response.end(bytes)
  }
  const liars: readonly (readonly [string, Parameters<typeof hostThat>[0]])[] = [
    ['sends more than was asked', (_, response, [from]) => part(response, world.bytes.subarray(from))],
    ['sends less than was asked', (_, response, [from, to]) => part(response, world.bytes.subarray(from, to))],
    ['sends another part', (_, response, [from, to]) => part(response, world.bytes.subarray(from - 1, to))],
    ['answers 200 with a part', (_, response, [from, to]) => response.end(world.bytes.subarray(from, to + 1))],
    ['answers 200 with more', (_, response) => response.end(Buffer.concat([world.bytes, world.bytes]))],
    ['has another file of that name', (_, response) => response.end(Buffer.alloc(world.bytes.length, 'x'))],
    ['answers 416', (_, response) => response.writeHead(416).end()],
    ['cuts the connection', (request) => request.socket.destroy()],
    ['sends a page instead', (_, response) => response.end('<!doctype html>')],
  ]

  it.each(liars)('hands out nothing of a host that %s, and asks the next one', async (_, answer) => {
    const liar = await hostThat(answer)
    await expect(clientOf(liar).at(NOON).asset('bitcoin')).rejects.toThrow(NoMirrorError)
    const honest = await hostThat((_, response, [from, to]) => part(response, world.bytes.subarray(from, to + 1)))
    const { data, mirror } = await clientOf(liar, honest).at(NOON).asset('bitcoin')
    expect(data).toEqual(published('api/mkt/assets/bitcoin.json'))
    expect(mirror).toBe(`${honest.url}/archive`)
  })

  it('hands out nothing of a list of a day that is not one', async () => {
    const host = await hostOf((_, response) =>
      response.end('{"format":1,"day":"2026-11-19","previous":null,"packs":[{}],"gaps":[]}'),
    )
    open.push(() => host.close())
    await expect(clientOf(host).at(NOON).asset('bitcoin')).rejects.toThrow('it is not the list of a day')
  })
})
