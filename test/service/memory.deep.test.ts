import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ATTACKS } from './attacks.ts'
import { type ChildServer, childServer, health, longTree, silentClients } from './child-server.ts'

const MOST_MIB = 400
/** A server with few descriptors is short of connections, one with many of memory; clients are more than either takes. */
const SERVERS = [
  { descriptors: 512, clients: 700 },
  { descriptors: 16_384, clients: 5000 },
]

// Memory and descriptors are read from /proc.
describe.skipIf(process.platform !== 'linux').each(SERVERS)(
  'a server with $descriptors descriptors',
  ({ descriptors, clients }) => {
    let server: ChildServer
    beforeAll(async () => {
      server = await childServer(longTree(), descriptors)
    })
    afterAll(() => server.end())

    it.each(Object.entries(ATTACKS))(`answers others and stays under ${MOST_MIB} MiB under %s`, async (_, attack) => {
      const attackers = await silentClients(server.port, attack(clients))
      for (let round = 0; round < 10; round++) {
        expect(await health(server.url)).toBe(200)
        const list = await fetch(`${server.url}/api/mkt/assets?limit=5`, { headers: { connection: 'close' } })
        expect(await list.json()).toMatchObject({ count: 5 })
      }
      const peak = server.peakMiB()
      attackers.close()
      expect(peak).toBeLessThan(MOST_MIB)
      await expect.poll(() => server.descriptors()).toBeLessThan(60)
      expect(server.errors()).toBe('')
    })
  },
)
