import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { withStrange } from '../pages/strange-listings.ts'
import { NOON, NO_REQUESTS, SAMPLE_LISTINGS, newFolder, sampleRun } from '../sample-tree.ts'

const root = newFolder()
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const json = (file: string) => JSON.parse(text(file))

beforeAll(async () => {
  await sampleRun(root, { sources: withStrange(sampleSources(NOON, SAMPLE_LISTINGS), NOON), history: NO_REQUESTS })
})

it('writes what one unit is worth in every other currency, in the layout of exchange-api', () => {
  const { date, usd } = json('v1/currencies/usd.json')
  expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(Object.keys(usd)).toEqual(Object.keys(json('v1/currencies.json')))
  expect(1 / usd.btc).toBeCloseTo(json('api/mkt/prices.json').prices.bitcoin, 1)
  expect(json('v1/currencies/usd.min.json')).toEqual({ date, usd })
  expect(text('v1/currencies/usd.min.json')).not.toMatch(/\s/)
})

it('writes both directions of a pair so that they agree', () => {
  const [usd, eur] = [json('v1/currencies/usd.json').usd, json('v1/currencies/eur.json').eur]
  expect(usd.eur * eur.usd).toBeCloseTo(1, 6)
})

it('says which listing a symbol means', () => {
  const listings = json('v1/listings.json')
  expect(listings).toMatchObject({ btc: 'bitcoin', eth: 'ethereum' })
  expect(Object.keys(json('v1/currencies.json'))).toEqual(expect.arrayContaining(Object.keys(listings)))
})

it('writes one price directive per symbol for ledger, hledger and beancount', () => {
  const lines = text('prices.journal').trimEnd().split('\n')
  expect(lines.filter((line) => !/^P \d{4}-\d\d-\d\d (?:[A-Za-z]+|"[^"]+") [\d.]+ USD$/.test(line))).toEqual([])
  expect(new Set(lines.map((line) => line.split(' ')[2])).size).toBe(lines.length)
  expect(text('prices.beancount')).toMatch(/^\d{4}-\d\d-\d\d price BTC [\d.]+ USD$/m)
})

it('takes no coin for the money that its symbol is a code of', () => {
  const { rows } = json('api/mkt/assets.json')
  expect(rows.filter(({ symbol }: { symbol: string }) => symbol === 'SCR')).not.toEqual([])
  for (const file of ['v1/listings.json', 'prices.journal', 'prices.beancount'])
    expect(text(file)).not.toMatch(/\bscr\b/i)
})

it('writes the price of a Bitcoin as the server of mempool does', () => {
  const { time, USD, EUR } = json('api/v1/prices.json')
  expect(time).toBe(Date.parse(json('api/mkt/assets/bitcoin.json').asset.last_updated) / 1000)
  expect(USD).toBeCloseTo(json('api/mkt/prices.json').prices.bitcoin, 1)
  expect(EUR).toBeLessThan(USD)
})

it('writes the price of each of the first listings as a file with one number', () => {
  const { prices } = json('api/mkt/prices.json')
  for (const file of readdirSync(join(root, 'text')))
    expect(Number(text(join('text', file)))).toBe(prices[file.replace('.txt', '')])
  expect(text('text/bitcoin.txt')).toMatch(/^[\d.]+\n$/)
})

it('writes a table small enough for a spreadsheet', () => {
  const [head, ...rows] = text('api/mkt/prices.csv').trimEnd().split('\r\n')
  expect(head).toBe('slug,symbol,name,price_usd,percent_change_24h,market_cap_usd,last_updated')
  expect(rows).toHaveLength(Object.keys(json('api/mkt/prices.json').prices).length)
})
