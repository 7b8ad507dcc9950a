import { describe, expect, it } from 'vitest'
import { lookAlikes, openDuplicate, ownersIn } from '../../src/requests/duplicates.ts'
import { recordOf, tree } from '../service/world.ts'

describe('a warning of a verified listing', () => {
  const bitcoin = { slug: 'bitcoin', symbol: 'BTC', name: 'Bitcoin', verification_status: 'verified' } as const
  const body = { request_type: 'new', name: 'New', symbol: 'NEW' } as const
  it.each([
    ['names the name', { ...body, name: 'bitcoin.' }, /name/],
    ['names the symbol', { ...body, symbol: 'btc' }, /symbol/],
  ])('%s', (_, asked, text) => expect(lookAlikes(asked, [bitcoin])).toEqual([expect.stringMatching(text)]))
  it.each([
    ['for another asset', body],
    ['for a name without letters, which is like every such', { ...body, name: '!!' }],
  ])('is not given %s', (_, asked) =>
    expect(lookAlikes(asked, [bitcoin, { ...bitcoin, slug: 'x', symbol: 'X', name: '??' }])).toEqual([]),
  )
})

describe('a duplicate', () => {
  const old = { ...recordOf('request-1', 'Coin'), submitted_at: '2026-11-19T12:00:00Z' }
  const body = { request_type: 'new', name: 'coin', symbol: 'a' } as const
  it('is of the oldest open request for the same asset', () =>
    expect(openDuplicate(body, [recordOf('request-2', 'Coin'), old])).toBe(old))
  it.each([
    ['a decided one', { ...old, status: 'rejected' } as const],
    ['one of another type', { ...old, body: { ...old.body, request_type: 'delist', slug: 'coin' } } as const],
    ['one of another symbol', { ...old, body: { ...old.body, symbol: 'B' } }],
    ['one whose letters only look alike', { ...old, body: { ...old.body, name: '\u0421oin' } }],
  ])('is not of %s', (_, record) => expect(openDuplicate(body, [record])).toBeNull())
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
