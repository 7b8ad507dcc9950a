import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openRegistry } from '../../../src/core/registry/registry.ts'
import chainRows from '../../../src/core/registry/chains.json' with { type: 'json' }
import { SAMPLE_SPELLINGS, sampleSources } from '../../../src/core/sources/sample/sample.ts'
import type { CandleRequest, Observation, Source } from '../../../src/core/sources/source.ts'
import { observe } from '../replies.ts'

const NOW = Date.UTC(2026, 4, 6, 12, 2, 30)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const named = (sources: readonly Source[], id: string): Source => {
  const found = sources.find((source) => source.id === id)
  if (!found) throw new Error(`no source ${id}`)
  return found
}
const all = async (now: number, count?: number): Promise<readonly (readonly [string, Observation[]])[]> =>
  Promise.all(
    // The sample touches no network: an Http that knows no path would fail it.
    sampleSources(now, count).map(async (source) => [source.id, await observe(source, {})] as const),
  )
const only = <Kind extends Observation['kind']>(observations: readonly Observation[], kind: Kind) =>
  observations.filter((one): one is Extract<Observation, { kind: Kind }> => one.kind === kind)

const world = await all(NOW)
const of = (id: string): readonly Observation[] => world.find(([source]) => source === id)?.[1] ?? []
const sightings = only(of('sample'), 'sighting')
const exchanges = world.filter(([id]) => /^sample-[a-f]$/.test(id))
const quotes = exchanges.flatMap(([, observations]) => only(observations, 'quote'))
const pools = only(of('sample-dex'), 'pool')

describe('the sample', () => {
  it('says so in every label and belongs to no host', () => {
    for (const { label, host } of sampleSources(NOW)) {
      expect(label).toMatch(/^sample\b/)
      expect(host).toMatch(/^sample(-[a-f])?\.invalid$/)
    }
  })

  it('is the same for one clock, and for five minutes', async () => {
    expect(await all(NOW)).toEqual(world)
    expect(await all(NOW + 2 * MINUTE)).toEqual(world)
  })

  it('moves with the clock', async () => {
    const [, later = []] = (await all(NOW + 5 * MINUTE)).find(([id]) => id === 'sample') ?? []
    const moved = only(later, 'sighting').filter((one, index) => one.price_usd !== sightings[index]?.price_usd)
    expect(moved.length).toBeGreaterThan(1000)
  })

  it('lists more than 1,200 assets by default', () => {
    expect(sightings.length).toBeGreaterThan(1200)
  })

  it.each([7, 1200, 10_000])('has as many assets as are asked for, each under its own id: %i', async (count) => {
    const own = only(await observe(named(sampleSources(NOW, count), 'sample'), {}), 'sighting')
    expect(own).toHaveLength(count)
    expect(new Set(own.map(({ id }) => id)).size).toBe(count)
  })

  it('returns no invalid number', () => {
    const numbers = world.flatMap(([, observations]) =>
      observations.flatMap((one) => Object.values(one).filter((value) => typeof value === 'number')),
    )
    expect(numbers.length).toBeGreaterThan(20_000)
    expect(numbers.filter((number) => !Number.isFinite(number))).toEqual([])
  })

  it('gives no price below or at zero', () => {
    const prices = [
      ...sightings.flatMap((one) => [one.price_usd, one.high_24h_usd, one.low_24h_usd, one.ath_usd]),
      ...quotes.flatMap(({ last, bid, ask }) => [last, bid, ask]),
      ...pools.flatMap(({ price_native, price_usd }) => [price_native, price_usd]),
    ]
    expect(prices.filter((price) => price !== null && price <= 0)).toEqual([])
  })
})

const registry = openRegistry({ spelledAs: SAMPLE_SPELLINGS })

describe('the sample list', () => {
  it('has names and symbols that fit one line', () => {
    const line = /^\S(?:.*\S)?$/u
    expect(sightings.filter(({ name, symbol }) => !line.test(name) || !line.test(symbol))).toEqual([])
  })

  it('has contracts in the form of their chains', () => {
    const evm = new Set(chainRows.filter((chain) => chain.evm).map(({ chain }) => chain))
    const addresses = sightings.flatMap(({ contracts }) => contracts).filter(({ platform }) => evm.has(platform))
    const right = addresses.filter(({ address }) => /^0x[0-9a-f]{40}$/i.test(address))
    expect(addresses.length).toBeGreaterThan(1000)
    // The names are of a public package, and so are its few misprints.
    expect(right.length / addresses.length).toBeGreaterThan(0.99)
  })

  it('has Trac Network, TAP and DMT-NAT, with a price each, and BX nowhere', () => {
    for (const id of ['trac-network', 'tap-protocol', 'dmt-nat']) {
      expect(sightings.find((one) => one.id === id)?.price_usd).toBeGreaterThan(0)
    }
    expect(sightings.filter(({ id }) => id === 'bx')).toEqual([])
  })

  it('has the ids that the registry looks for', () => {
    const ids = new Set(sightings.map(({ id }) => `sample ${id}`))
    const ecosystem = registry.assets.filter((asset) => asset.ecosystem !== null)
    const found = ecosystem.filter((asset) => registry.externalIds(asset).some((id) => ids.has(id.join(' '))))
    expect(found.map(({ slug }) => slug)).toEqual(['dmt-nat', 'tap-protocol', 'trac-network'])
  })

  it.each(['rank', 'price_usd', 'percent_change_24h', 'circulating_supply', 'max_supply', 'volume_24h_usd'] as const)(
    'does not know %s of every asset, and of most it does',
    (member) => {
      const unknown = sightings.filter((one) => one[member] === null).length
      expect(unknown).toBeGreaterThan(0)
      expect(unknown).toBeLessThan(sightings.length / 2)
    },
  )

  it('is confirmed by a second list for most assets, under ids of its own and within one percent', () => {
    const second = only(of('sample-index'), 'sighting')
    expect(second.length / sightings.length).toBeGreaterThan(0.8)
    expect(second.length).toBeLessThan(sightings.length)
    const byId = new Map(sightings.map((one) => [one.id, one]))
    const apart = second.filter(({ id, slugs, price_usd }) => {
      const first = byId.get(slugs[0] ?? '')
      if (!first || first.id === id) return true
      if (price_usd === null || first.price_usd === null) return price_usd !== first.price_usd
      return Math.abs(price_usd / first.price_usd - 1) >= 0.01
    })
    expect(apart).toEqual([])
  })

  it('gives profiles to those who want them, and only then', async () => {
    const wanted = await observe(named(sampleSources(NOW), 'sample'), {}, { profiles: (ids) => ids.slice(0, 2) })
    const profiles = only(wanted, 'profile')
    expect(profiles.map(({ id }) => id)).toEqual(sightings.slice(0, 2).map(({ id }) => id))
    expect(profiles[0]?.description).toMatch(/^Sample profile of /)
    expect(only(of('sample'), 'profile')).toEqual([])
  })
})

describe('the prices of the sample', () => {
  const priceOf = (id: string) => sightings.find((one) => one.id === id)?.price_usd ?? NaN

  it.each([
    ['bitcoin', 60_900],
    ['ethereum', 1640],
    ['litecoin', 41.6],
    ['dogecoin', 0.0766],
  ])('stay near the real one of a stated day: %s', (id, real) => {
    expect(Math.abs(Math.log(priceOf(id) / real))).toBeLessThan(0.7)
  })

  it.each([
    ['tether', 1],
    ['crvusd', 1],
    ['stasis-eurs', 1.13],
    ['wrapped-bitcoin', priceOf('bitcoin')],
    ['rocket-pool-eth', 1.15 * priceOf('ethereum')],
    ['dola-usd', 1],
    ['cdai', 0.0245],
    ['kinesis-gold', 0.032_15 * priceOf('pax-gold')],
    ['stride-staked-atom', 1.5 * priceOf('cosmos')],
    ['wrapped-nxm', priceOf('nxm')],
  ])('keep the peg of %s', (id, peg) => {
    expect(Math.abs(priceOf(id) / peg - 1)).toBeLessThan(0.005)
  })

  // By symbol: a new name of the package would else get a price at random.
  it('are near a dollar for each symbol of a stablecoin', () => {
    const dollars = sightings.filter(({ symbol }) => /^[A-Z]{0,3}USD[A-Z]?$|^(DAI|FRAX|DOLA|MIM|GHO|SAI)$/.test(symbol))
    expect(dollars.length).toBeGreaterThan(15)
    expect(
      dollars
        .filter(
          ({ id, price_usd }) =>
            id !== 'compound-usd-coin' && id !== 'terrausd' && price_usd !== null && Math.abs(price_usd - 1) > 0.01,
        )
        .map(({ id, price_usd }) => `${id} ${price_usd}`),
    ).toEqual([])
  })

  it('come with volumes as large as those of a real day', () => {
    const volumeOf = (id: string) => sightings.find((one) => one.id === id)?.volume_24h_usd ?? NaN
    expect(volumeOf('bitcoin') / volumeOf('ethereum')).toBeGreaterThan(1)
    expect(volumeOf('bitcoin') / volumeOf('ethereum')).toBeLessThan(4)
    expect(volumeOf('tether')).toBeGreaterThan(volumeOf('bitcoin'))
    expect(volumeOf('ethereum')).toBeGreaterThan(volumeOf('ripple'))
  })

  it('rank listings by market cap', () => {
    const ranked = sightings.filter(({ rank }) => rank !== null).toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    expect(ranked.slice(0, 3).map(({ id }) => id)).toEqual(['bitcoin', 'ethereum', 'tether'])
  })
})

describe('the sample exchanges', () => {
  it('are six, and quote in dollars, stablecoins, bitcoin and euros', () => {
    expect(exchanges).toHaveLength(6)
    const currencies = new Set(quotes.map(({ quote }) => quote))
    for (const currency of ['USD', 'USDT', 'USDC', 'BTC', 'EUR']) expect(currencies).toContain(currency)
  })

  it('link each market to where it would trade', () => {
    for (const { trade_url } of quotes) expect(z.url({ protocol: /^https$/ }).safeParse(trade_url).success).toBe(true)
  })

  it('trade the ecosystem under the symbols that the registry knows', () => {
    const known = exchanges.flatMap(([id, observations]) =>
      only(observations, 'quote').flatMap(({ base }) => registry.listingAt(id, base) ?? []),
    )
    for (const slug of ['trac-network', 'tap-protocol', 'dmt-nat']) expect(known).toContain(slug)
    expect(known).not.toContain('bx')
  })

  const at = Math.max(...quotes.map(({ at }) => at ?? 0))
  it.each([
    ['a dead market', quotes.filter(({ last, volume_24h_base }) => last === null && volume_24h_base === 0)],
    ['a crossed book', quotes.filter(({ bid, ask }) => bid !== null && ask !== null && bid > ask)],
    ['a stale quote', quotes.filter((quote) => (quote.at ?? at) < at - 3_600_000)],
    ['a symbol that is not listed', quotes.filter(({ base }) => base === 'NOSUCHCOIN')],
    ['an unknown quote currency', quotes.filter(({ quote }) => quote === 'XYZ')],
    ['a row that cannot be read', exchanges.flatMap(([, observations]) => only(observations, 'rejected'))],
  ])('have %s among them', (_oddity, found) => {
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(10)
  })

  it('have a busy market or two whose price is three times or more off', () => {
    const far = quotes.filter(({ base, quote, last, volume_24h_base }) => {
      if ((volume_24h_base ?? 0) < 1000) return false
      const [asset, twin] = sightings.filter(({ symbol }) => symbol === base)
      if (!asset?.price_usd || twin || last === null || !quote.startsWith('USD')) return false
      return Math.abs(Math.log(last / asset.price_usd)) > Math.log(3)
    })
    expect(far.length).toBeGreaterThan(0)
    expect(far.length).toBeLessThan(5)
  })

  it('agree with one another on every ordinary market to a fraction of a percent', () => {
    const ordinary = quotes.filter(({ base, quote }) => base === 'BTC' && quote.startsWith('USD'))
    const bitcoin = ordinary.map(({ last }) => last ?? 0)
    expect(bitcoin.length).toBeGreaterThan(5)
    expect(Math.max(...bitcoin) / Math.min(...bitcoin)).toBeLessThan(1.01)
  })
})

describe('the sample DEX', () => {
  it('has pools of listed contracts on chains that the registry knows', () => {
    const contracts = sightings.flatMap((one) => one.contracts)
    const listed = new Set(contracts.map(({ platform, address }) => `${platform} ${address}`))
    expect(pools.length).toBeGreaterThanOrEqual(50)
    expect(pools.map(({ base }) => base.symbol)).toContain('DMT-NAT')
    for (const { platform, pool_address } of pools) expect(pool_address.startsWith('0x')).toBe(platform !== 'solana')
    expect(new Set(pools.map(({ pool_address }) => pool_address)).size).toBe(pools.length)
    expect(pools.filter(({ platform }) => registry.chainOf('sample-dex', platform) === null)).toEqual([])
    for (const { platform, base, quote } of pools) {
      expect(listed).toContain(`${platform} ${base.address}`)
      expect(listed).toContain(`${platform} ${quote.address}`)
    }
  })
})

describe('the sample’s past', () => {
  const sample = named(sampleSources(NOW), 'sample')
  const bars = async (market: string, ask: Partial<CandleRequest> = {}) =>
    (await sample.candles?.ask(noNetwork, { market, interval: '1d', from: NOW - 365 * DAY, to: NOW, ...ask })) ?? []
  const noNetwork = { json: () => Promise.reject(new Error('the sample asked the network')) }

  it('is a full year of dollar prices, one a day', async () => {
    const year = await bars('bitcoin')
    expect(sample.candles?.rolling).toBe(true)
    expect(year).toHaveLength(365)
    expect(year.every(({ at, close }) => at % DAY === 0 && close > 0)).toBe(true)
  })

  it('does not depend on when or how it is asked', async () => {
    const year = await bars('bitcoin')
    expect(await bars('bitcoin', { from: NOW - 30 * DAY })).toEqual(year.slice(-30))
    const later = named(sampleSources(NOW + 3 * DAY), 'sample')
    const ask = { market: 'bitcoin', interval: '1d', from: NOW - 365 * DAY, to: NOW } as const
    expect(await later.candles?.ask(noNetwork, ask)).toEqual(year)
  })

  it('holds no bar of the future', async () => {
    expect(await bars('bitcoin', { to: NOW + 10 * DAY })).toEqual(await bars('bitcoin'))
  })

  it.each(['15m', '1h', '4h', '1d'] as const)('leads up to the price of now in bars of %s', async (interval) => {
    const last = (await bars('bitcoin', { interval, from: NOW - 2 * DAY })).at(-1)
    const now = sightings.find(({ id }) => id === 'bitcoin')?.price_usd ?? 0
    expect(last?.at).toBeLessThanOrEqual(NOW)
    expect(Math.abs((last?.close ?? 0) / now - 1)).toBeLessThan(0.1)
  })

  it('is short for young assets, has gaps for a few, and none for an asset without a price', async () => {
    const years = await Promise.all(sightings.map(async ({ id, price_usd }) => ({ price_usd, bars: await bars(id) })))
    const begins = (at: number | undefined) => at === undefined || at > NOW - 360 * DAY
    expect(years.filter(({ bars }) => bars.length > 0 && begins(bars[0]?.at)).length).toBeGreaterThan(10)
    expect(years.filter(({ bars }) => bars.length < 365 && !begins(bars[0]?.at)).length).toBeGreaterThan(5)
    expect(years.filter(({ bars }) => bars.length === 365).length).toBeGreaterThan(1100)
    expect(years.filter(({ price_usd, bars }) => price_usd === null && bars.length > 0)).toEqual([])
  })

  it('is empty for an asset that it does not list', async () => {
    expect(await bars('bx')).toEqual([])
  })
})
