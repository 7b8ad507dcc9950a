import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ATTACKS } from './attacks.ts'
import { type ChildServer, childServer, health, longTree, silentClients } from './child-server.ts'

const MOST_MIB = 400
const DESCRIPTORS = 512
/** Clients of each attack: more than a server with so few descriptors has places for. */
const CLIENTS = 300

// Memory and descriptors are read from /proc.
describe.skipIf(process.platform !== 'linux')(`a server with ${DESCRIPTORS} descriptors`, () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await childServer(longTree(), DESCRIPTORS)
  })
  afterAll(() => server.end())

  it.each(['a thousand requests sent ahead', 'half requests on every connection', 'no HTTP at all'] as const)(
    `answers others and stays under ${MOST_MIB} MiB under %s`,
    async (attack) => {
      const clients = await silentClients(server.port, ATTACKS[attack](CLIENTS))
      expect(await health(server.url)).toBe(200)
      const list = await fetch(`${server.url}/api/mkt/assets?limit=5`, { headers: { connection: 'close' } })
      expect(await list.json()).toMatchObject({ count: 5 })
      clients.close()
      expect(server.peakMiB()).toBeLessThan(MOST_MIB)
      await expect.poll(() => server.descriptors()).toBeLessThan(60)
      expect(server.errors()).toBe('')
    },
  )
  // One turn of the event loop reads from every connection.
  it(`stays under ${MOST_MIB} MiB when requests on all connections arrive at once`, async () => {
    const request = 'GET /api/mkt/none HTTP/1.1\r\nHost:\r\n\r\n'
    const clients = await silentClients(
      server.port,
      Array.from({ length: 200 }, () => ''),
    )
    await server.stopped(() => clients.send(request.repeat(1500)))
    expect(await health(server.url)).toBe(200)
    clients.close()
    expect(server.peakMiB()).toBeLessThan(MOST_MIB)
    expect(server.errors()).toBe('')
  })
})
