import { describe, expect, it } from 'vitest'
import type { ListingRequestBody } from '../../src/core/contract/listing-request.ts'
import { isNamesake, listedAlready, openDuplicate, ownersIn } from '../../src/requests/duplicates.ts'
import { recordOf, tree } from '../service/world.ts'

describe('a request for a listing', () => {
  const bitcoin = { slug: 'bitcoin', symbol: 'BTC', name: 'Bitcoin' }
  const body = { request_type: 'new', name: 'bitcoin', symbol: 'btc' } as const
  const of = (asked: ListingRequestBody) => listedAlready(asked, [bitcoin], (file) => tree[file] ?? null)
  it.each([
    ['of its name and symbol', body, 'bitcoin'],
    ['of its name alone', { ...body, symbol: 'X' }, undefined],
    ['of a name that looks alike', { ...body, name: 'Bitc\u043ein' }, undefined],
    ['with a contract of another one', { ...body, contracts: [{ chain: 'ethereum', address: 'ibc/27' }] }, 'atom'],
    ['that changes it', { ...body, request_type: 'update', slug: 'bitcoin' } as const, undefined],
  ])('%s', async (_, asked, slug) => expect(await of(asked)).toBe(slug))
})

it('compares names as they are written, but for case', () => {
  const grove = { name: 'Grove Coin', symbol: 'GROVE' }
  expect(isNamesake(grove, { name: 'grove coin', symbol: 'Grove' })).toBe(true)
  for (const name of ['Gr\u043eve Coin', 'GroveCoin', 'Gr0ve Coin'])
    expect(isNamesake(grove, { ...grove, name })).toBe(false)
})

describe('a duplicate', () => {
  const old = { ...recordOf('request-1', 'Coin'), submitted_at: '2026-11-19T12:00:00Z' }
  const body = { request_type: 'new', name: 'coin', symbol: 'a' } as const
  it('is of the oldest open request for the same asset', () =>
    expect(openDuplicate(body, [recordOf('request-2', 'Coin'), old])).toBe(old))
  it('is of an open request with the same slug, or the same contract', () => {
    const change = { request_type: 'update', name: 'New', symbol: 'NEW', slug: 'coin' } as const
    expect(openDuplicate(change, [{ ...old, body: { ...change, name: 'Coin' } }])?.request_id).toBe('request-1')
    const contracts = [{ chain: 'ethereum', address: '0xAB' }]
    const same = { ...old, body: { ...old.body, name: 'Other', contracts: [{ chain: 'eth', address: '0xab' }] } }
    expect(openDuplicate({ ...body, contracts }, [same])).toBe(same)
  })
  it.each([
    ['a decided one', { ...old, status: 'rejected' } as const],
    ['one of another type', { ...old, body: { ...old.body, request_type: 'delist', slug: 'coin' } } as const],
    ['one of another symbol', { ...old, body: { ...old.body, symbol: 'B' } }],
    ['one whose letters only look alike', { ...old, body: { ...old.body, name: '\u0421oin' } }],
  ])('is not of %s', (_, record) => expect(openDuplicate(body, [record])).toBeUndefined())
})

it.each([
  ['ethereum', '0xAA', ['bitcoin']],
  ['ETH', '0xaa', ['bitcoin']],
  ['1', '0xaa', ['bitcoin']],
  ['ethereum', 'ibc/27', ['atom', 'osmo']],
  ['ethereum', '0xbb', []],
  ['moon', '0xaa', []],
])('finds the listings that have a contract on %s at %s', async (chain, address, slugs) => {
  const body = { request_type: 'new', name: 'A', symbol: 'A', contracts: [{ chain, address }] } as const
  expect(await ownersIn((file) => tree[file] ?? null, { ...body, contracts: [...body.contracts] })).toEqual(slugs)
})
