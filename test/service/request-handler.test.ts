import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { type NodeContext, requestHandler } from '../../src/service/request-handler.ts'
import { contextOf, tree } from './world.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = z.function({ input: [], output: z.void() }).implement(runInNewContext('gc'))

/** A service whose documents arrive when `release` is called. */
function slowService() {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const read: string[] = []
  const context: NodeContext = {
    ...contextOf(),
    store: {
      edition: async () => 'one',
      knownEdition: () => 'one',
      read: async (file) => {
        read.push(file)
        await released
        return tree[file] ?? null
      },
    },
    pages: null,
    proxies: 0,
    connections: 1,
    log: null,
  }
  return { handle: requestHandler(context), release, read }
}

function request(url: string): { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse } {
  const incoming = new IncomingMessage(new Socket())
  Object.assign(incoming, { method: 'GET', url, httpVersion: '1.1', headers: { host: 'x' }, complete: true })
  return { incoming, outgoing: new ServerResponse(incoming) }
}

it.each(['/api/mkt/assets', '/api/mkt/assets/bitcoin'])(
  'holds no request for %s of a client that left while its answer is made',
  async (url) => {
    const { handle, release, read } = slowService()
    const left = await (async () => {
      const { incoming, outgoing } = request(url)
      handle(incoming, outgoing)
      await sleep(0)
      outgoing.emit('close')
      return new WeakRef(incoming)
    })()
    let isHeld = true
    for (let turn = 0; isHeld && turn < 20; turn++) {
      // A reference that was looked at holds its target for the rest of the turn.
      await sleep(0)
      collectGarbage()
      isHeld = left.deref() !== undefined
    }
    expect(isHeld).toBe(false)
    expect(read.length).toBeLessThanOrEqual(1)
    release()
  },
)
