import { describe, expect, it } from 'vitest'
import { HOUR, HEAD, NOON, TRENDING, envelope, fine, headUntil, netOf } from './net.ts'

const [A, B] = ['https://a', 'https://b']
const stale = (name: string) => fine(name, { [HEAD]: headUntil(NOON - HOUR) })

describe('several mirrors', () => {
  it('answer from the fresh one, and in the next call that one is asked alone', async () => {
    const net = netOf({ a: stale('a'), b: fine('b') })
    expect(await net.client.trending()).toMatchObject({ mirror: B, stale: false, failure: null })
    net.news()
    expect(await net.client.trending()).toMatchObject({ mirror: B })
    expect(net.news()).toEqual([`b${TRENDING}`])
  })

  it('answer from the first one if all are stale', async () => {
    const { client } = netOf({ a: stale('a'), b: stale('b') })
    expect(await client.trending()).toMatchObject({ mirror: A, stale: true, failure: null })
  })

  it('answer from the second one when the first is silent for the time limit, and is then aborted', async () => {
    const net = netOf({ a: () => 'silent', b: fine('b') }, { timeoutMs: 1 })
    expect(await net.client.trending()).toMatchObject({ mirror: B })
    expect(net.sent[0]?.signal?.aborted).toBe(true)
  })

  it('answer with the last good answer, marked as such, while all are away', async () => {
    const net = netOf({ a: fine('a'), b: fine('b') })
    const { data } = await net.client.trending()
    net.hosts['a'] = net.hosts['b'] = () => 'away'
    const failure = { name: 'NoMirrorError', failures: [{ fault: 'unreachable' }, { fault: 'unreachable' }] }
    expect(await net.client.trending()).toMatchObject({ data, stale: false, failure })
    net.clock.now = NOON + 2 * HOUR
    expect(await net.client.trending()).toMatchObject({ data, stale: true, failure })
    await expect(net.client.asset('bitcoin')).rejects.toMatchObject({ name: 'NoMirrorError' })
  })

  it('refuse a last good answer that is older than allowed', async () => {
    const net = netOf({ a: fine('a') }, { maxStaleMs: HOUR })
    await net.client.trending()
    net.hosts['a'] = () => 'away'
    net.clock.now = NOON + 3 * HOUR
    await expect(net.client.trending()).rejects.toMatchObject({ name: 'NoMirrorError' })
  })
})

it('freezes answers', async () => {
  const { client } = netOf({ a: fine('a') })
  const { data } = await client.trending()
  expect([data, data.rows, data.rows[0]].every((one) => Object.isFrozen(one))).toBe(true)
})

it.each([
  ['selects them', { count: 1, missing: ['no-coin'], prices: { bitcoin: 1 } }],
  ['is one of files', { count: 3, prices: { bitcoin: 1, ethereum: 2, tether: 3 } }],
])('has selected prices with one request, whether the host %s', async (_, members) => {
  const FILE = '/api/mkt/prices.json'
  const net = netOf({ a: fine('a', { [FILE]: { body: envelope('prices', { total: 3, ...members }) } }) })
  const { data } = await net.client.prices({ ids: ['no-coin', 'bitcoin'] })
  expect(data).toMatchObject({ count: 1, missing: ['no-coin'], prices: { bitcoin: 1 } })
  expect(net.news()).toEqual([`a${FILE}`])
})

it('reads the prices of contracts with one request per chain, and knows which have none', async () => {
  const ethereum = envelope('chain-prices', {
    count: 1,
    total: 3,
    prices: { '0xab': { slug: 'a-coin', price_usd: 2 } },
  })
  const net = netOf({ a: fine('a', { '/api/mkt/prices/ethereum.json': { body: ethereum } }) })
  const contracts = [
    { chain: 'ethereum', address: '0xAB' },
    { chain: 'ethereum', address: '0xcd' },
    { chain: 'no-chain', address: '0xab' },
  ]
  expect(await net.client.pricesByContract(contracts)).toEqual([
    { ...contracts[0], slug: 'a-coin', price_usd: 2, stale: false },
    { ...contracts[1], slug: null, price_usd: null, stale: false },
    { ...contracts[2], slug: null, price_usd: null, stale: false },
  ])
  expect(net.news()).toHaveLength(2)
})
