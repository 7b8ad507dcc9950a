import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { methodOf } from '../../src/client/methods.ts'
import { answered as all } from '../../src/core/endpoints/table.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import { type EndpointSpec, answerSchemaOf, exampleKey } from '../../src/core/contract/endpoint-spec.ts'
import { NOON, copyChangedSampleTree, newFolder } from '../sample-tree.ts'
import { fileHost, ownHost } from './hosts.ts'

const answered = all.filter(({ isDerived }) => !isDerived)
const LATER = NOON + 60_000
const root = newFolder()
let ownUrl = ''
const hosts: { close(): Promise<void> }[] = []
const clients: Record<string, Client> = {}
const clientOf = (name: string): Client => {
  const client = clients[name]
  if (!client) throw new Error(`there is no client of ${name}`)
  return client
}

beforeAll(async () => {
  // More than the limit variants that every list has.
  await copyChangedSampleTree(root, 101)
  const [own, files] = [await ownHost(root, LATER), await fileHost(root)]
  hosts.push(own, files)
  ownUrl = own.url
  const now = () => LATER
  clients['our server'] = createClient({ mirrors: own.url, now })
  clients['a host of files'] = createClient({ mirrors: `${files.url}/some/folder/`, now })
})
afterAll(() => Promise.all(hosts.map((host) => host.close())))

const BODY = { name: 'Grove Coin', symbol: 'GROVE', website: 'https://grove.example' }

/** What a method is called with: its own example, unless that is one of another endpoint. */
async function argumentsOf(spec: EndpointSpec, client: Client): Promise<readonly unknown[]> {
  if (spec.method === 'POST') return [BODY]
  const key = exampleKey(spec)
  if (key !== null) {
    const inPath = spec.path.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []))
    const query = Object.entries(key).filter(([name]) => !inPath.includes(name))
    return [...inPath.map((name) => key[name]), Object.fromEntries(query)]
  }
  if (spec.path === '/changes/:day') return [(await client.changes()).data.days[0]]
  if (spec.path === '/closes/:day') return [(await client.closes()).data.today]
  if (spec.path === '/rates/years/:year') return ['2026']
  if (spec.path === '/exchanges/:exchange') return [(await client.exchanges()).data.rows[0]?.exchange_id]
  if (spec.path === '/categories/:category') return [(await client.categories()).data.rows[0]?.category_id]
  return [(await client.submitListingRequest(BODY)).data.request.request_id]
}

async function call(client: Client, spec: EndpointSpec): Promise<unknown> {
  const method: unknown = Reflect.get(client, methodOf(spec))
  if (typeof method !== 'function') throw new Error(`the client has no ${methodOf(spec)}`)
  const result: unknown = await Reflect.apply(method, undefined, await argumentsOf(spec, client))
  return result
}

const LIVE = ['submitListingRequest', 'listingRequest']

describe.each(['our server', 'a host of files'])('%s', (name) => {
  const asked = answered.filter((spec) => name === 'our server' || !LIVE.includes(methodOf(spec)))
  it.each(asked.map((spec) => [methodOf(spec), spec] as const))('answers %s as its contract says', async (_, spec) => {
    const client = clientOf(name)
    const result = await call(client, spec)
    expect(result).toMatchObject({ mirror: expect.stringMatching(/^http:.*\d(\/some\/folder)?$/) })
    const data: unknown = typeof result === 'object' && result !== null && 'data' in result ? result.data : null
    expect(answerSchemaOf(spec).safeParse(data).error?.issues.slice(0, 3)).toBeUndefined()
  })

  it('says when the data becomes stale', async () => {
    const { data } = await clientOf(name).index()
    expect(await clientOf(name).assets()).toMatchObject({ stale: false, staleAfter: data.staleAfter })
    expect(Date.parse(data.staleAfter)).toBeGreaterThan(LATER)
  })

  it.each([1, 7, 100, 101, 137, 150, 151, 152, 1_000_000])('gives %i rows where there are that many', async (limit) => {
    const client = clientOf(name)
    const [whole, { data }] = [(await client.assets()).data, await client.assets({ limit })]
    expect(whole.rows).toHaveLength(whole.total)
    expect(data.rows).toEqual(whole.rows.slice(0, limit))
    expect(data.count).toBe(Math.min(limit, whole.total))
  })

  const convertible = answered.filter((spec) => 'vs' in spec.parameters && !spec.path.includes(':'))
  it.each(convertible.map((spec) => [methodOf(spec), spec] as const))(
    'gives %s in euros as a host with a function does',
    async (_, spec) => {
      const method: unknown = Reflect.get(clientOf(name), methodOf(spec))
      if (typeof method !== 'function') throw new Error(`the client has no ${methodOf(spec)}`)
      const selects = 'limit' in spec.parameters
      const limit = selects ? 5 : undefined
      const { data } = await Reflect.apply(method, undefined, [{ vs: 'eur', ...(selects ? { limit } : {}) }])
      const answer = await fetch(`${ownUrl}/api/mkt${spec.path}?vs=eur${selects ? `&limit=${limit}` : ''}`)
      expect(data).toEqual(await answer.json())
    },
  )

  it('selects rows as a host with a function does', async () => {
    const client = clientOf(name)
    const ids = ['no-such-coin', 'ethereum', 'bitcoin']
    for (const [path, { data }] of [
      ['assets', await client.assets({ ids, vs: 'jpy' })],
      ['prices', await client.prices({ ids, vs: 'jpy' })],
    ] as const)
      expect(data).toEqual(await (await fetch(`${ownUrl}/api/mkt/${path}?ids=${ids.join()}&vs=jpy`)).json())
    expect((await client.prices({ ids, limit: 1 })).data).toMatchObject({ count: 1, missing: ['no-such-coin'] })
  })

  it('refuses an unknown currency with the known ones, and slugs that are none', async () => {
    const client = clientOf(name)
    const unknown = { name: 'ApiError', status: 400, parameter: 'vs', allowed: expect.arrayContaining(['eur']) }
    await expect(client.prices({ vs: 'xyz' })).rejects.toMatchObject(unknown)
    for (const ids of [[], ['bitcoin', 'bitcoin'], ['Bitcoin'], Array.from({ length: 251 }, (_, at) => `a${at}`)])
      await expect(client.prices({ ids })).rejects.toMatchObject({ status: 400, parameter: 'ids' })
  })

  it('finds the listings of a symbol however it is written', async () => {
    const client = clientOf(name)
    const { data } = await client.symbol('BTC')
    for (const text of ['btc', 'Btc', '$BTC']) expect((await client.symbol(text)).data).toEqual(data)
    await expect(client.symbol('nope')).rejects.toMatchObject({ code: 'not_found', parameter: 'symbol' })
  })

  it('uses the default range if none is given', async () => {
    const client = clientOf(name)
    expect((await client.history('bitcoin')).data.days).toBe(7)
    expect((await client.history('bitcoin', { days: 365 })).data.days).toBe(365)
  })

  it.each(['no-such-coin', '', '..', 'limit=10', 'a/b', 'BITCOIN', '%2e', 'ü'])('has no asset %j', async (slug) => {
    const error = { name: 'NotFoundError', code: 'asset_not_found', status: 404, parameter: 'slug' }
    await expect(clientOf(name).asset(slug)).rejects.toMatchObject(error)
    await expect(clientOf(name).assetMarkets(slug)).rejects.toMatchObject(error)
  })

  it('has no document for a day without changes', async () => {
    await expect(clientOf(name).changesOfDay('2020-01-01')).rejects.toMatchObject({ code: 'not_found', status: 404 })
  })

  it.each([0, -1, 1.5, Number.NaN, Infinity, 1e21])('refuses %d rows', async (limit) => {
    const error = { name: 'ApiError', code: 'invalid_parameter', status: 400, parameter: 'limit' }
    await expect(clientOf(name).assets({ limit })).rejects.toMatchObject(error)
  })

  it('refuses a currency where amounts are in dollars alone', async () => {
    const asking = Reflect.apply(clientOf(name).history, undefined, ['bitcoin', Object.fromEntries([['vs', 'eur']])])
    await expect(asking).rejects.toMatchObject({ code: 'invalid_parameter', parameter: 'vs' })
  })

  it('refuses an unknown range', async () => {
    const asking = Reflect.apply(clientOf(name).history, undefined, ['bitcoin', Object.fromEntries([['days', 8]])])
    await expect(asking).rejects.toMatchObject({ code: 'invalid_parameter', allowed: [1, 7, 30, 90, 365] })
  })
})

describe('listing requests', () => {
  it('are one request, however often they are sent, and show its state', async () => {
    const client = clientOf('our server')
    const { data } = await client.submitListingRequest(BODY)
    expect((await client.submitListingRequest(BODY)).data.request.request_id).toBe(data.request.request_id)
    const state = await client.listingRequest(data.request.request_id)
    expect(state.data.request).toMatchObject({ status: 'pending', name: null })
    expect((await client.listingRequests()).data.rows).toContainEqual(state.data.request)
  })

  it('are refused with all that is wrong', async () => {
    const sent = clientOf('our server').submitListingRequest({ name: '', symbol: 'X' })
    await expect(sent).rejects.toMatchObject({ name: 'ApiError', code: 'invalid_request', status: 422 })
    await expect(sent).rejects.toHaveProperty('issues.0.path', 'name')
  })

  it('go to the mirror that accepts them; reads still use the others', async () => {
    const [own, files] = [await ownHost(root, LATER), await fileHost(root)]
    hosts.push(own, files)
    const client = createClient({ mirrors: [`${files.url}/some/folder`, own.url], now: () => LATER })
    const { data, mirror } = await client.submitListingRequest(BODY)
    expect(mirror).toBe(own.url)
    expect(await client.listingRequest(data.request.request_id)).toMatchObject({ mirror: own.url })
    expect(await client.assets()).toMatchObject({ mirror: `${files.url}/some/folder` })
  })

  it('are refused by a host of files alone', async () => {
    const client = clientOf('a host of files')
    await expect(client.submitListingRequest(BODY)).rejects.toMatchObject({ failures: [{ fault: 'status' }] })
    await expect(client.listingRequest('0123456789')).rejects.toMatchObject({ failures: [{ fault: 'status' }] })
  })
})
