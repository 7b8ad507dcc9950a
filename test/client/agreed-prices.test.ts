import { expect, it } from 'vitest'
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
