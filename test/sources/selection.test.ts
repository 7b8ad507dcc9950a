import { expect, it } from 'vitest'
import { RIGHTS, narrowestOf } from '../../src/core/contract/rights.ts'
import { select } from '../../src/core/sources/selection.ts'
import { liveSources } from '../../src/core/sources/table.ts'

const all = liveSources({})
const idsOf = (sources: readonly { readonly id: string }[]) => sources.map(({ id }) => id)

it('selects every source by default', () => {
  expect(select(all, { rights: null, country: null })).toEqual({ asked: all, elsewhere: [], left: [] })
})

it('selects only sources whose rights allow publication, and says why the others are left out', () => {
  const { asked, left } = select(all, { rights: new Set(['open', 'attribution']), country: null })
  expect(idsOf(asked)).toEqual(['coingecko', 'geckoterminal', 'frankfurter'])
  expect(left).toContainEqual(expect.objectContaining({ reason: 'its rights are unknown' }))
  expect(asked.length + left.length).toBe(all.length)
})

it('leaves out what refuses the country of the run, or asks another host of it', () => {
  const { asked, elsewhere, left } = select(all, { rights: null, country: 'US' })
  expect(idsOf(elsewhere)).toEqual(['binance'])
  expect(left.map(({ source: { id }, reason }) => [id, reason])).toEqual([['bybit', 'it refuses addresses of US']])
  expect(asked.find(({ id }) => id === 'binance')?.host).toBe('data-api.binance.vision')
  expect(select(all, { rights: null, country: 'DE' })).toMatchObject({ asked: all, elsewhere: [], left: [] })
})

it('leaves Bybit out of mainland China too', () => {
  expect(select(all, { rights: null, country: 'CN' }).left).toMatchObject([{ source: { id: 'bybit' } }])
})

it('credits CoinGecko and GeckoTerminal in words that they accept, and keeps CoinPaprika to non-commercial use', () => {
  const rightsOf = (wanted: string) => all.find(({ id }) => id === wanted)?.rights
  expect(rightsOf('coingecko')?.attribution?.text).toBe('Data provided by CoinGecko')
  expect(rightsOf('geckoterminal')?.attribution?.text).toBe('On-chain data provided by GeckoTerminal')
  expect(rightsOf('coinpaprika')?.class).toBe('non_commercial')
})

it('names terms and the day they were read for every class but unknown, and a line for every attribution', () => {
  for (const { id, rights } of all) {
    expect(rights.terms_url ?? (rights.class === 'unknown' ? 'https:' : null), id).toMatch(/^https:/)
    expect(rights.read_on === null, id).toBe(rights.class === 'unknown')
    expect(rights.attribution !== null, id).toBe(rights.class === 'attribution')
  }
})

it('takes the narrowest class for a whole, and unknown for no permission', () => {
  expect(narrowestOf([])).toBe('open')
  expect(narrowestOf(['attribution', 'unknown', 'open'])).toBe('unknown')
  for (const one of RIGHTS) expect(narrowestOf(['open', one])).toBe(one)
})
