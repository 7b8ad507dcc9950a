import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { agreementOf } from '../../src/client/agreed-prices.ts'
import { type Reply, envelope, fine, netOf } from './net.ts'

const PRICES = '/api/mkt/prices.json'
const pricesOf = (prices: Readonly<Record<string, number>>): Readonly<Record<string, Reply>> => ({
  [PRICES]: { body: envelope('prices', { count: Object.keys(prices).length, total: 2, prices }) },
})
const [A, B, C] = ['https://a', 'https://b', 'https://c']

it('answers with the median of independent publishers, and who agrees', async () => {
  const { client } = netOf({
    a: fine('a', pricesOf({ bitcoin: 100, ethereum: 10, lonely: 1 })),
    b: fine('b', pricesOf({ bitcoin: 100.1, ethereum: 10.5 })),
    c: fine('c', pricesOf({ bitcoin: 103, ethereum: 11 })),
  })
  expect(await client.agreedPrices({ quorum: 2 })).toEqual({
    prices: { bitcoin: 100.1 },
    agreed: { bitcoin: [A, B] },
    disputed: { ethereum: [A, B, C], lonely: [A] },
    failures: {},
  })
  expect((await client.agreedPrices({ quorum: 3, toleranceBp: 500 })).prices).toEqual({
    bitcoin: 100.1,
    ethereum: 10.5,
  })
})

it('passes over what a publisher states in place of a price', async () => {
  const nested = JSON.stringify(envelope('prices', { count: 1, total: 1, prices: { bitcoin: 0 } })).replace(
    '"bitcoin":0',
    `"bitcoin":${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  )
  const { client } = netOf({
    a: fine('a', pricesOf({ bitcoin: 100 })),
    b: fine('b', { [PRICES]: { body: nested } }),
    c: fine('c', pricesOf({ bitcoin: 100 })),
  })
  expect(await client.agreedPrices({ quorum: 2 })).toMatchObject({ agreed: { bitcoin: [A, C] } })
})

it('goes on without a publisher that does not answer, as long as enough do', async () => {
  const { client } = netOf({
    a: fine('a', pricesOf({ bitcoin: 100 })),
    b: () => 'away',
    c: fine('c', pricesOf({ bitcoin: 100 })),
  })
  expect(await client.agreedPrices({ quorum: 2 })).toMatchObject({
    agreed: { bitcoin: [A, C] },
    failures: { [B]: { name: 'NoMirrorError' } },
  })
  await expect(client.agreedPrices({ quorum: 3 })).rejects.toMatchObject({
    name: 'QuorumError',
    message: '2 of 3 publishers answered',
  })
})

it('takes a median that a minority of liars among an odd number of publishers cannot move past the honest ones', () => {
  const price = fc.double({ min: 1, max: 2, noNaN: true })
  fc.assert(
    fc.property(fc.array(price, { minLength: 3, maxLength: 5 }), fc.array(price, { maxLength: 2 }), (honest, lies) => {
      const all = [...honest, ...lies].map(
        (value, index) => [`p${index}`, index < honest.length ? value : value * 1e6] as const,
      )
      const { median, agreed } = agreementOf(all, 20)
      expect(median).toBeGreaterThanOrEqual(Math.min(...honest))
      expect(median).toBeLessThanOrEqual(Math.max(...honest))
      expect(agreed.filter((name) => Number(name.slice(1)) >= honest.length)).toEqual([])
    }),
  )
})
