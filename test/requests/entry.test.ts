import { expect, it } from 'vitest'
import { ListingRequestBody } from '../../src/contract/listing-request.ts'
import { openRegistry } from '../../src/registry/registry.ts'
import { entryFor, entryOf } from '../../src/requests/approve.ts'
import { type Known, hintsOf, strangeChains } from '../../src/requests/hints.ts'
import { recordOf } from '../service/world.ts'

const registry = openRegistry()
const asks = (given: object) => ({
  ...recordOf('request-1'),
  body: ListingRequestBody.parse({ name: 'Grove Coin', symbol: 'GROVE', website: 'https://grove.example', ...given }),
})
const ADDRESS = '0xAbCdEf0123456789aBcDeF0123456789abcdef01'

const known: readonly Known[] = [
  {
    slug: 'tether',
    symbol: 'USDT',
    name: 'Tether',
    verification_status: 'verified',
    contracts: [{ chain: 'ethereum', address: ADDRESS.toLowerCase() }],
  },
  { slug: 'grave-coin', symbol: 'GRAVE', name: 'Gröve-Coin', verification_status: 'unverified', contracts: [] },
]

it.each([
  ['nothing', {}, ['look-alike name: grave-coin (unverified)']],
  [
    'a contract that is listed, however it is written',
    { name: 'X', contracts: [{ chain: 'Ethereum', address: ADDRESS }] },
    [`contract already listed: tether has ${ADDRESS.toLowerCase()} on ethereum`],
  ],
  ['a borrowed name', { name: 'Теthеr' }, ['look-alike name: tether (verified)']],
  ['the symbol of a verified listing', { name: 'X', symbol: 'USDT' }, ['same symbol as the verified tether']],
  ['the symbol of another one', { name: 'X', symbol: 'GRAVE' }, []],
  ['a chain nobody knows', { name: 'X', contracts: [{ chain: 'moon', address: 'a' }] }, ['chain unknown: moon']],
  ['an update of its own listing', { request_type: 'update', slug: 'tether', name: 'Tether', symbol: 'USDT' }, []],
  [
    'an update of no listing',
    { request_type: 'update', slug: 'no-such', name: 'X' },
    ['no listing has the slug no-such'],
  ],
])('hints at %s', (_, given, hints) => expect(hintsOf(asks(given), known, registry)).toEqual(hints))

it('hints at nothing once a request is decided', () =>
  expect(hintsOf({ ...asks({ name: 'Tether' }), status: 'rejected' }, known, registry)).toEqual([]))

it('takes over what was read, and claims no market', () => {
  const record = asks({
    contracts: [
      { chain: 'bsc', address: ADDRESS },
      { chain: 'moon', address: 'a' },
    ],
    contact_email: 'me@grove.example',
    note: 'between us',
    source_code_url: 'https://code.example/grove',
  })
  const entry = entryOf(record, registry, new Set(), false)
  expect(entry).toMatchObject({
    slug: 'grove-coin',
    verification_status: 'unverified',
    exchange_symbols: {},
    contracts: [{ chain: 'binance-smart-chain', address: ADDRESS.toLowerCase(), decimals: null }],
    links: { website: 'https://grove.example', source_code: 'https://code.example/grove', twitter: null },
  })
  expect(JSON.stringify(entry)).not.toMatch(/me@grove|between us/)
  expect(strangeChains(record.body, registry)).toEqual(['moon'])
})

it('returns a free slug, the requested one if possible', () => {
  expect(entryOf(asks({}), registry, new Set(['grove-coin']), true)).toMatchObject({
    slug: 'grove',
    verification_status: 'verified',
  })
  expect(entryOf(asks({ slug: 'my-grove' }), registry, new Set(), false).slug).toBe('my-grove')
  expect(entryOf(asks({ slug: 'bitcoin' }), registry, new Set(['bitcoin']), false).slug).toBe('grove-coin')
})

it('finds the entry that an approval which was cut off has made', () => {
  const entry = entryOf(asks({}), registry, new Set(), false)
  const after = openRegistry({ assets: [...registry.assets, entry] })
  expect(entryFor(asks({}), after)?.slug).toBe('grove-coin')
  expect(entryFor(asks({ name: 'Another' }), after)).toBeNull()
})
