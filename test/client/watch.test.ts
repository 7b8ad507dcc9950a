import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type PriceUpdate, createClient } from '../../src/client/client.ts'
import { ApiError, NoMirrorError } from '../../src/client/errors.ts'
import { headOf } from '../../src/endpoints/api-index.ts'
import { MAX_IDS } from '../../src/contract/limit-variants.ts'
import { priceWatch } from '../../src/client/price-watch.ts'
import { roundPrice } from '../../src/contract/numbers.ts'
import { print } from '../../src/contract/text.ts'
import { listen } from '../../src/service/node.ts'
import { type SampleAsset, priceAt, sampleWorld } from '../../src/sources/sample/world.ts'
import { newFolder, sharedSampleTree } from '../sample-tree.ts'
import { onDisk } from '../service/world.ts'
import { NOON, iso } from './net.ts'
import { overHttp2 } from './over-http2.ts'
import { scaled } from '../scale.ts'

const CADENCE = 30 * 60_000
const MINUTE = 60_000
interface Timer {
  readonly at: number
  readonly call: () => Promise<void>
}

/** A clock that only the test moves: to the time of the timer that is set. */
function clockAt(start: number) {
  const clock: { now: number; timers: readonly Timer[] } = { now: start, timers: [] }
  return {
    clock,
    after: (ms: number, call: () => Promise<void>) => {
      const timer = { at: clock.now + ms, call }
      clock.timers = [...clock.timers, timer]
      return () => void (clock.timers = clock.timers.filter((one) => one !== timer))
    },
    tick: async () => {
      const [timer, ...others] = clock.timers
      if (!timer) throw new Error('no timer is set')
      expect(others).toEqual([])
      clock.timers = []
      clock.now = Math.max(clock.now, timer.at)
      await timer.call()
    },
  }
}

/** A feed that is built every half hour, and when something is asked of it, in minutes. */
function feedAt(start: number) {
  const { clock, after, tick } = clockAt(start)
  const page = { isHidden: false, show: () => {} }
  const nothing: Readonly<Record<string, number>> = {}
  const state = { prices: nothing, at: start, isAway: false, due: '' }
  const asked: string[] = []
  const ask = (name: string) => {
    asked.push(`${name} ${((clock.now - start) / MINUTE).toFixed(1)}`)
    if (state.isAway) throw new NoMirrorError([])
  }
  const watch = priceWatch({
    prices: async () => {
      ask('prices')
      return { stale: false, failure: null, data: { timestamp: iso(state.at), prices: state.prices } }
    },
    times: async () => {
      ask('times')
      return { data: { generatedAt: iso(state.at), nextBuildAt: state.due || iso(state.at + CADENCE) } }
    },
    now: () => clock.now,
    random: () => 0.5,
    after,
    page: { isHidden: () => page.isHidden, onShown: (call) => void (page.show = call) },
  })
  const build = (prices: Readonly<Record<string, number>>, at = clock.now) => {
    state.at = at
    state.prices = prices
  }
  return { clock, tick, page, state, asked, build, watch }
}

it('tells the watched prices at once, and what changed when the next snapshot is due', async () => {
  const { tick, asked, build, watch } = feedAt(NOON)
  const updates: PriceUpdate[] = []
  build({ bitcoin: 1, ethereum: 2, tether: 1 })
  watch(['bitcoin', 'ethereum', 'unpriced'], (update) => updates.push(update))
  await tick()
  expect(updates).toEqual([
    {
      prices: { bitcoin: 1, ethereum: 2 },
      changed: ['bitcoin', 'ethereum', 'unpriced'],
      missing: ['unpriced'],
      timestamp: iso(NOON),
      stale: false,
    },
  ])
  build({ bitcoin: 1, ethereum: 3, tether: 4 }, NOON + CADENCE)
  await tick()
  expect(updates[1]).toMatchObject({ changed: ['ethereum'], prices: { bitcoin: 1, ethereum: 3 } })
  build({ bitcoin: 1, ethereum: 3, tether: 5 }, NOON + 2 * CADENCE)
  await tick()
  expect(updates).toHaveLength(2)
  // The schedule once; then the prices a minute and a random half after each build.
  expect(asked).toEqual(['prices 0.0', 'times 0.0', 'prices 31.5', 'prices 61.5'])
})

it('shares one timer and one request, which end with the last watch', async () => {
  const { clock, tick, asked, build, watch } = feedAt(NOON)
  build({ bitcoin: 1 })
  const heard: string[] = []
  const [first, second] = [new AbortController(), new AbortController()]
  watch(['bitcoin'], () => heard.push('first'), { signal: first.signal })
  watch(['bitcoin'], () => heard.push('second'), { signal: second.signal })
  await tick()
  const stop = watch(['bitcoin'], () => heard.push('third'))
  expect([heard, asked]).toEqual([
    ['first', 'second', 'third'],
    ['prices 0.0', 'times 0.0'],
  ])
  first.abort()
  stop()
  build({ bitcoin: 2 }, NOON + CADENCE)
  await tick()
  expect(heard).toEqual(['first', 'second', 'third', 'second'])
  second.abort()
  expect(clock.timers).toEqual([])
  watch(['bitcoin'], () => heard.push('never'), { signal: AbortSignal.abort() })
  expect(clock.timers).toEqual([])
})

it('waits longer and longer for a snapshot that is late, and reads the schedule again', async () => {
  const { tick, asked, build, watch } = feedAt(NOON)
  build({ bitcoin: 1 })
  watch(['bitcoin'], () => {})
  for (let time = 0; time < 5; time++) await tick()
  expect(asked).toEqual([
    'prices 0.0',
    'times 0.0',
    'prices 31.5',
    'prices 33.0',
    'prices 36.0',
    'times 36.0',
    'prices 36.8',
  ])
})

it.each(['soon', '+275760-09-13T00:00:00Z'])('waits, but not for ever, if the next snapshot is due %s', async (due) => {
  const { clock, tick, state, asked, watch } = feedAt(NOON)
  state.due = due
  watch(['bitcoin'], () => {})
  for (let time = 0; time < 3; time++) await tick()
  expect(asked).toHaveLength(4)
  expect(clock.now - NOON).toBeGreaterThan(MINUTE)
  expect(clock.now - NOON).toBeLessThan(3 * 24 * 60 * MINUTE)
})

it('says what failed, and tries again after growing pauses', async () => {
  const { clock, tick, state, build, watch } = feedAt(NOON)
  build({ bitcoin: 1 })
  const [errors, heard]: [unknown[], PriceUpdate[]] = [[], []]
  state.isAway = true
  watch(['bitcoin'], (update) => heard.push(update), { onError: (error) => errors.push(error) })
  const at: number[] = []
  for (let time = 0; time < 7; time++) {
    await tick()
    at.push((clock.now - NOON) / MINUTE)
  }
  expect(at).toEqual([0, 0.75, 2.25, 5.25, 11.25, 22.5, 33.75])
  expect(errors).toHaveLength(7)
  state.isAway = false
  await tick()
  expect(heard).toHaveLength(1)
})

it('asks nothing while the page is hidden, and catches up when it is shown', async () => {
  const { clock, tick, page, asked, build, watch } = feedAt(NOON)
  build({ bitcoin: 1 })
  const heard: PriceUpdate[] = []
  watch(['bitcoin'], (update) => heard.push(update))
  await tick()
  page.isHidden = true
  await tick()
  expect([asked, clock.timers]).toEqual([['prices 0.0', 'times 0.0'], []])
  clock.now = NOON + 10 * CADENCE
  build({ bitcoin: 2 })
  page.isHidden = false
  page.show()
  await tick()
  expect([heard.length, asked.at(-1)]).toEqual([2, 'prices 300.0'])
  page.show()
  expect(clock.timers).toHaveLength(1)
})

it.each([[[]], [['Bitcoin']], [['bitcoin', 'bitcoin']]])('refuses %j', (slugs) => {
  expect(() => feedAt(NOON).watch(slugs, () => {})).toThrow(ApiError)
})

/** A proxy that counts the bytes of both directions. */
async function countingProxy(port: number) {
  const counted = { bytes: 0 }
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk: Buffer) => (counted.bytes += chunk.length))
      from.on('error', () => to.destroy())
      from.pipe(to)
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const close = () => new Promise((closed) => server.close(closed))
  return { counted, close, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }
}

/** Watches the first of 1,252 prices, all of which change every half hour, for a day. */
async function dayOf(watched: number, protocol: 'HTTP/1.1' | 'HTTP/2'): Promise<number> {
  const root = newFolder()
  const assets = sampleWorld(NOON, 1400)
    .assets.filter(({ id }) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))
    .slice(0, 1252)
  const index = readFileSync(join(await sharedSampleTree(), 'api/mkt.json'), 'utf8')
  mkdirSync(join(root, 'api/mkt'), { recursive: true })
  const write = (file: string, text: string) => {
    writeFileSync(join(root, 'new'), text)
    renameSync(join(root, 'new'), join(root, file))
  }
  const priceOf = (asset: SampleAsset, at: number) => roundPrice(priceAt({ ...asset, bornAt: 0 }, at) ?? 1)
  const publish = (at: number) => {
    const timestamp = iso(at)
    const head = {
      ok: true,
      product: 'Quotetree',
      endpoint: 'prices',
      timestamp,
      sourceStatus: 'ok',
      sourceError: null,
    }
    const prices = Object.fromEntries(assets.map((asset) => [asset.id, priceOf(asset, at)]))
    write('api/mkt/prices.json', print({ ...head, count: assets.length, total: assets.length, prices }))
    const times = {
      timestamp,
      generatedAt: timestamp,
      nextBuildAt: iso(at + CADENCE),
      staleAfter: iso(at + 3 * CADENCE),
    }
    const text = print({ ...JSON.parse(index), ...times })
    write('api/mkt.json', text)
    write('api/mkt/head.json', headOf(text) ?? '')
  }
  publish(NOON)

  const { clock, after, tick } = clockAt(NOON)
  let seconds = 0
  // The disk is looked at for each request.
  const server = await listen(
    onDisk(root, () => 1000 * seconds++),
    '127.0.0.1',
    0,
  )
  const proxy = await countingProxy(Number(new URL(server.url).port))
  const http2 = await overHttp2(server.url)
  try {
    // As over https: Node and browsers accept br there alone.
    const http1: typeof fetch = (url, init) =>
      fetch(url, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), 'accept-encoding': 'br, gzip' },
      })
    const client = createClient({
      mirrors: proxy.url,
      now: () => clock.now,
      fetch: protocol === 'HTTP/2' ? http2.fetch : http1,
    })
    const watch = priceWatch({
      prices: (slugs) => client.prices(slugs.length > MAX_IDS ? {} : { ids: slugs }),
      times: () => client.head().catch(() => client.index()),
      now: () => clock.now,
      random: Math.random,
      after,
      page: { isHidden: () => false, onShown: () => {} },
    })
    const updates: PriceUpdate[] = []
    const stop = watch(
      assets.slice(0, watched).map(({ id }) => id),
      (update) => updates.push(update),
    )
    for (let built = 0; built < 48; built++) {
      publish(NOON + built * CADENCE)
      await tick()
    }
    stop()
    expect(updates).toHaveLength(48)
    expect(updates.at(-1)?.timestamp).toBe(iso(NOON + 47 * CADENCE))
    expect(Object.keys(updates.at(-1)?.prices ?? {})).toHaveLength(watched)
    expect(updates.every(({ changed }) => changed.length > 0.9 * watched)).toBe(true)
    return protocol === 'HTTP/2' ? http2.bytes() : proxy.counted.bytes
  } finally {
    await http2.close()
    await Promise.all([server.close(), proxy.close()])
  }
}

const DAYS_OF = [
  [20, 'HTTP/2', 40_000],
  [20, 'HTTP/1.1', 75_000],
  [1252, 'HTTP/1.1', 700_000],
] as const
it.each(DAYS_OF.slice(0, scaled(1, 3)))(
  'for a day of %i prices that all change every half hour, over %s, %i bytes cross the socket at most',
  async (watched, protocol, most) => {
    const bytes = await dayOf(watched, protocol)
    expect(bytes).toBeLessThanOrEqual(most)
    // Each price has five digits that nothing foretells.
    expect(bytes).toBeGreaterThan(48 * watched * 5)
  },
)

it('asks again for slugs that it did not watch so far', async () => {
  const { tick, asked, build, watch } = feedAt(NOON)
  build({ bitcoin: 1, ethereum: 2 })
  const heard: PriceUpdate[] = []
  watch(['bitcoin'], () => {})
  await tick()
  watch(['ethereum'], (update) => heard.push(update))
  await tick()
  expect([heard[0]?.prices, asked]).toEqual([{ ethereum: 2 }, ['prices 0.0', 'times 0.0', 'prices 0.0']])
})
