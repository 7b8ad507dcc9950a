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
})
