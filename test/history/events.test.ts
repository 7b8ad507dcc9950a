import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventsBetween, type EventFacts, type ListingFacts } from '../../src/core/history/events.ts'
import { ticksBetween, verdictOf } from '../../src/changes/difference.ts'
import { sentence, sentenceOfNews } from '../../src/changes/print.ts'

const listing = (given: Partial<ListingFacts> = {}): ListingFacts => ({
  symbol: 'ACME',
  name: 'Acme',
  verification_status: 'unverified',
  contracts: [],
  source_label: 'CoinGecko',
  held: [],
  ...given,
})
const facts = (given: Partial<EventFacts> = {}): EventFacts => ({
  listings: new Map([['acme', listing()]]),
  successor: () => null,
  sources: [],
  methodology: { version: '1', rules: { price: 'A rule.' }, constants: { quorum: 3 } },
  requests: [],
  ...given,
})
const source = (id: string, code: 'source_timeout' | null) => ({
  source_id: id,
  source_label: id.toUpperCase(),
  error: code === null ? null : { code, message: '' },
})
const run = (at: string, next: string) => ({ at: `2026-11-20T${at}:00Z`, next_at: `2026-11-20T${next}:00Z` })
const request = (status: 'pending' | 'needs_info' | 'accepted' | 'rejected') => ({
  request_id: 'request-1',
  name: status === 'pending' ? null : 'Grove',
  status,
})
const reasons = { source_ids: [], reason: '', since: '2026-11-20T11:30:00Z', releases_at: null, release: '' }
const figures = { field: 'circulating_supply', held_value: 1.2e9, offered_value: 1.2e12 } as const
const supply: ListingFacts['held'][number] = { slug: 'acme', rule: 'lone_supply', ...figures, ...reasons }
const unknown = { decimals: null, standard: null, explorer_url: null }
const contract = { chain: 'ethereum', chain_id: 1, address: '0x1', ...unknown }

const peg = (beyond_since: string | null, deviation_percent: number) => ({
  pegs: new Map([
    [
      'acme',
      {
        slug: 'acme',
        symbol: 'ACME',
        name: 'Acme',
        price_usd: 1,
        price_confidence: 1,
        currency: 'USD',
        rate_usd: 1,
        deviation_percent,
        beyond_since,
      },
    ],
  ]),
})

describe('what happened', () => {
  it.each<readonly [string, Partial<EventFacts>, Partial<EventFacts>, readonly string[], string]>([
    ['nothing', {}, {}, [], 'none'],
    [
      'a stablecoin left its currency',
      peg(null, 0),
      peg('2026-11-20T12:00:00Z', -0.8),
      ['Acme (acme) is -0.8 % away from USD'],
      'patch',
    ],
    [
      'a stablecoin is back',
      peg('2026-11-20T12:00:00Z', -0.8),
      peg(null, -0.1),
      ['Acme (acme) is back: -0.1 % away from USD'],
      'patch',
    ],
    [
      'a listing came',
      {},
      {
        listings: new Map([
          ['acme', listing()],
          ['beta', listing({ name: 'Beta' })],
        ]),
      },
      ['Beta (beta) is listed'],
      'minor',
    ],
    ['a listing went', {}, { listings: new Map() }, ['Acme (acme) is delisted'], 'major'],
    [
      'a listing has another slug',
      {},
      { listings: new Map([['apex', listing()]]), successor: (slug) => (slug === 'acme' ? 'apex' : null) },
      ['Acme (acme) is now apex'],
      'major',
    ],
    [
      'a supply is held back',
      {},
      { listings: new Map([['acme', listing({ held: [supply] })]]) },
      ['Acme (acme): circulating_supply 1200000000000 is held back, and circulating_supply 1200000000 stays published'],
      'patch',
    ],
    [
      'a supply is no longer held back, and another still is',
      { listings: new Map([['acme', listing({ held: [supply, { ...supply, field: 'max_supply' }] })]]) },
      { listings: new Map([['acme', listing({ held: [{ ...supply, field: 'max_supply' }] })]]) },
      ['Acme (acme): circulating_supply 1200000000000 is no longer held back'],
      'patch',
    ],
    [
      'a listing has another symbol',
      { listings: new Map([['polygon', listing({ name: 'Polygon', symbol: 'MATIC' })]]) },
      { listings: new Map([['polygon', listing({ name: 'Polygon', symbol: 'POL' })]]) },
      ['Polygon (polygon) has the symbol POL in place of MATIC'],
      'patch',
    ],
    [
      'a source was removed and another added',
      { sources: [source('gate', null), source('okx', null)] },
      { sources: [source('kraken', null), source('okx', null)] },
      ['KRAKEN (kraken) is a source from now on', 'GATE (gate) is no longer a source: its figures are removed'],
      'patch',
    ],
    ['the sources of a tree cannot be read', { sources: [source('gate', null)] }, {}, [], 'none'],
    [
      'runs were missed until the data was stale',
      { run: run('12:00', '12:30') },
      { run: run('13:31', '14:00') },
      ['No run was published between 2026-11-20T12:00:00Z and 2026-11-20T13:31:00Z'],
      'patch',
    ],
    ['a run was late', { run: run('12:00', '12:30') }, { run: run('13:30', '14:00') }, [], 'none'],
    ['runs are rare', { run: run('12:00', '18:00') }, { run: run('23:59', '23:59') }, [], 'none'],
    [
      'a listing was verified',
      {},
      { listings: new Map([['acme', listing({ verification_status: 'verified' })]]) },
      ['Acme (acme) was unverified and is verified'],
      'patch',
    ],
    [
      'a contract came',
      {},
      { listings: new Map([['acme', listing({ contracts: [contract] })]]) },
      ['Acme (acme) has the contract ethereum 0x1'],
      'patch',
    ],
    [
      'a contract went',
      { listings: new Map([['acme', listing({ contracts: [contract] })]]) },
      {},
      ['Acme (acme) no longer has the contract ethereum 0x1'],
      'patch',
    ],
    [
      'a source fell silent',
      { sources: [source('kraken', null)] },
      { sources: [source('kraken', 'source_timeout')] },
      ['KRAKEN (kraken) is down: source_timeout'],
      'patch',
    ],
    [
      'a source came back',
      { sources: [source('kraken', 'source_timeout')] },
      { sources: [source('kraken', null)] },
      ['KRAKEN (kraken) is back'],
      'patch',
    ],
    ['a source is new', {}, { sources: [source('kraken', 'source_timeout')] }, [], 'none'],
    [
      'a rule changed',
      {},
      { methodology: { version: '2', rules: { price: 'A rule.' }, constants: { quorum: 4 } } },
      ['The method changed from version 1 to 2: quorum'],
      'patch',
    ],
    [
      'a request was decided',
      { requests: [request('needs_info')] },
      { requests: [request('rejected')] },
      ['The request Grove (request-1) is rejected'],
      'patch',
    ],
    [
      'a venue had bars of another unit before a redenomination',
      {},
      { pastHeld: [{ slug: 'acme', source_id: 'kraken', known: '2021-10-01 4.2', held: '2021-09-30 4200000' }] },
      ['Acme (acme): bars before 2021-10-01 4.2 are held back: 2021-09-30 4200000 at kraken'],
      'patch',
    ],
    ['a request was opened', { requests: [request('pending')] }, { requests: [request('needs_info')] }, [], 'none'],
  ])('%s', (_, before, after, sentences, verdict) => {
    const events = [...eventsBetween(facts(before), facts(after))]
    expect(events.map(sentence)).toEqual(sentences)
    expect(verdictOf(events)).toBe(verdict)
  })

  it('is the mirror of the way back, for listings that come and go', () => {
    const slugs = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
    fc.assert(
      fc.property(slugs, slugs, (one, other) => {
        const [a, b] = [one, other].map((all) => facts({ listings: new Map(all.map((slug) => [slug, listing()])) }))
        if (!a || !b) return
        const there = [...eventsBetween(a, b)].map(({ kind, subject }) => `${kind} ${subject}`)
        const back = [...eventsBetween(b, a)].map(({ kind, subject }) => `${kind} ${subject}`)
        const swapped = back.map((text) =>
          text.startsWith('listed') ? text.replace('listed', 'delisted') : text.replace('delisted', 'listed'),
        )
        expect(there).toEqual(swapped)
      }),
    )
  })
})

describe('moves of prices', () => {
  it('are reported as a distribution, with what was lost and gained', () => {
    const before = new Map([
      ['bitcoin', 100],
      ['b', 10],
      ['c', 5],
      ['d', null],
      ['e', 1],
      ['gone', 1],
    ])
    const after = new Map([
      ['bitcoin', 98.8],
      ['b', 15],
      ['c', 5],
      ['d', 2],
      ['e', null],
      ['new', 1],
    ])
    expect(ticksBetween(before, after)).toEqual({
      compared: 5,
      moved: 2,
      median_percent: 25.6,
      largest: { slug: 'b', percent: 50 },
      lost: ['e'],
      gained: ['d'],
    })
  })

  it('are none between equal trees', () => {
    expect(ticksBetween(new Map([['a', 1]]), new Map([['a', 1]]))).toMatchObject({ moved: 0, median_percent: null })
  })
})

it('is one line', () => {
  const before = facts({
    listings: new Map([['acme', listing()]]),
    sources: [source('kraken', null), source('okx', 'source_timeout')],
  })
  const after = facts({
    listings: new Map([
      ['b', listing()],
      ['c', listing()],
    ]),
    sources: [source('kraken', 'source_timeout'), source('okx', null)],
  })
  const events = [...eventsBetween(before, after)]
  expect(sentenceOfNews(events)).toBe('+2 listings, 1 delisted, kraken down, okx back')
  expect(sentenceOfNews([])).toBe('')
})

it('reports when an aggregator starts to list what exchanges found, and when a source changes its id', () => {
  const before = facts({
    listings: new Map([
      ['acme', listing({ source_label: 'exchanges', external_ids: { exchanges: 'acme' } })],
      ['beta', listing({ external_ids: { coingecko: 'beta' } })],
      ['same', listing({ external_ids: { coingecko: 'same' } })],
    ]),
  })
  const after = facts({
    listings: new Map([
      ['acme', listing({ external_ids: { exchanges: 'acme', coingecko: 'acme' } })],
      ['beta', listing({ external_ids: { coingecko: 'beta-2' } })],
      ['same', listing({ external_ids: { coingecko: 'same', coinlore: '9' } })],
    ]),
  })
  expect([...eventsBetween(before, after)]).toMatchObject([
    { kind: 'identity', subject: 'acme', before: 'exchanges', after: 'CoinGecko' },
    { kind: 'identity', subject: 'beta', before: 'coingecko beta', after: 'coingecko beta-2' },
  ])
})
