import { Miniflare, Response } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundle } from '../../scripts/hosts/bundle.ts'
import { BundleError } from '../../src/observations/bundle.ts'
import { type Observations, mergeBundles } from '../../src/observations/merge.ts'
import { bundlesAt } from '../../src/run/bundle-places.ts'
import { liveSources } from '../../src/sources/table.ts'
import { upstream as bitstamp } from '../sources/bitstamp.upstream.ts'

const TOKEN = 'a-token-of-the-collector-with-40-letters'
const own = ['BTC', 'ETH', 'XRP'].map((symbol, number) => ({ number, symbol, price: 10 + number }))
const market = { now: Date.now(), coins: own, own, token: { address: '', dollar: '', pool: '' } }
const REMOTE = { timeoutMs: 60_000, attempts: 1, pause: async () => {} }

let worker: Miniflare
let url: string
const asked: string[] = []
beforeAll(async () => {
  worker = new Miniflare({
    modules: [{ type: 'ESModule', path: 'collector.js', contents: await bundle('cloudflare-collector', 'neutral') }],
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat'],
    r2Buckets: ['BUNDLES'],
    queueProducers: { SOURCES_TO_ASK: 'sources' },
    queueConsumers: { sources: { maxBatchSize: 1, maxBatchTimeout: 0 } },
    bindings: { COLLECTOR_TOKEN: TOKEN, SOURCES: 'bitstamp,okx' },
    // The venues: one answers, the other is away.
    outboundService: (request: { readonly url: string }) => {
      const { host, pathname } = new URL(request.url)
      asked.push(host)
      const body = host === 'www.bitstamp.net' ? bitstamp(market)[pathname] : undefined
      return body === undefined ? new Response(null, { status: 503 }) : new Response(JSON.stringify(body))
    },
    unsafeTriggerHandlers: true,
    cf: false,
  })
  url = (await worker.ready).origin
})
afterAll(() => worker.dispose())

const merged = async (): Promise<Observations> => {
  const read = await bundlesAt([`${url}/${TOKEN}`], REMOTE)
  const clocks = read.flatMap(({ result }) => (result instanceof BundleError ? [] : [result.header.clock]))
  const now = Math.max(...clocks)
  return mergeBundles(read, { sources: liveSources({}), kind: 'live', publishedAt: null, now })
}

it('collects a source for each message of its queue, and a merge reads the bundles from its bucket', async () => {
  expect(await (await fetch(`${url}/${TOKEN}/bundles.json`)).json()).toEqual({ bundles: [] })
  expect((await worker.dispatchFetch('http://localhost/cdn-cgi/handler/scheduled')).status).toBe(200)
  await expect.poll(async () => (await bundlesAt([`${url}/${TOKEN}`], REMOTE)).length).toBe(2)
  const { reports, refused } = await merged()
  expect(refused).toEqual([])
  expect(asked).toEqual(expect.arrayContaining(['www.bitstamp.net', 'www.okx.com']))
  expect(reports.map(({ source, error, quotes }) => [source.id, error?.code ?? null, quotes.length])).toEqual([
    ['okx', 'source_unreachable', 0],
    ['bitstamp', null, 3],
  ])
})

it('serves nothing to who does not know its token, and says nothing of it in a message', async () => {
  expect((await fetch(`${url}/bundles.json`)).status).toBe(404)
  expect((await fetch(`${url}/${'x'.repeat(40)}/bundles.json`)).status).toBe(404)
  const secret = 'y'.repeat(40)
  const [read] = await bundlesAt([`${url}/${secret}`], REMOTE)
  expect(JSON.stringify([read?.name, read?.result instanceof BundleError && read.result.message])).not.toContain(secret)
})
