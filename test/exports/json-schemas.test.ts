import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { answered, published } from '../../src/core/endpoints/table.ts'
import { ask } from '../service/world.ts'
import { copyChangedSampleTree, newFolder } from '../sample-tree.ts'
import { type Check, Document, contentOf, operationFor, validatorFor } from './document.ts'

const root = newFolder()
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))
let checkNamed: ReturnType<typeof validatorFor>
let checkOf: (document: unknown) => Check

beforeAll(async () => {
  await copyChangedSampleTree(root)
  const described = Document.parse(read('openapi.json'))
  checkNamed = validatorFor(described)
  const schemas = new Map(
    published.map((spec) => [spec.name, contentOf(described, operationFor(described, spec), '200')]),
  )
  checkOf = (document) => checkNamed(schemas.get(z.object({ endpoint: z.string() }).parse(document).endpoint) ?? null)
})

it('is kept by every document of the tree', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^api\/mkt.*\.json$/.test(file),
  )
  const faults = files.flatMap((file) => {
    const document = read(file)
    const fault = checkOf(document)(document)
    return fault === null ? [] : [`${file}: ${fault}`]
  })
  expect(faults.slice(0, 3)).toEqual([])
  expect(files.length).toBeGreaterThan(400)
})

it('allows further members, and refuses a missing one and one of the wrong type, in the envelope and in a row', () => {
  const Assets = z.object({ rows: z.array(z.object().loose()) }).loose()
  const assets = Assets.parse(read('api/mkt/assets/limit=10.json'))
  const [first] = assets.rows
  const check = checkOf(assets)
  const { timestamp: _, ...without } = assets
  const { price_usd: __, ...unpriced } = first ?? {}
  expect(check(assets)).toBeNull()
  expect(check({ ...assets, more: 1, rows: [{ ...first, more: 1 }] })).toBeNull()
  expect(check(without)).toMatch(/timestamp/)
  expect(check({ ...assets, timestamp: 'today' })).toMatch(/pattern/)
  expect(check({ ...assets, ok: false })).toMatch(/ok/)
  expect(check({ ...assets, rows: [unpriced] })).toMatch(/price_usd/)
  expect(check({ ...assets, rows: [{ ...first, price_usd: 0 }] })).toMatch(/must be/)
  expect(check({ ...assets, rows: [{ ...first, price_usd: null }] })).toBeNull()
})

it('has patterns that ECMAScript, Python and RE2 read alike', () => {
  const patterns = [...readFileSync(join(root, 'openapi.json'), 'utf8').matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)]
  expect(patterns.length).toBeGreaterThan(20)
  for (const [, json = ''] of patterns) {
    const pattern = z.string().parse(JSON.parse(json))
    expect(pattern).not.toMatch(/\\p\{|\(\?[=!<]|\\[bBk]/)
    expect(() => new RegExp(pattern, 'u')).not.toThrow()
  }
})

it('is one small file for each answer too, complete in itself', () => {
  const files = readdirSync(join(root, 'schemas'))
  expect(files).toEqual(expect.arrayContaining(['AssetsAnswer.json', 'ErrorAnswer.json', 'ListingRequestBody.json']))
  for (const file of files) {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    expect(() => ajv.compile(z.record(z.string(), z.unknown()).parse(read(`schemas/${file}`)))).not.toThrow()
  }
})

it('has the form of errors, with and without issues', async () => {
  const missing = await (await ask('/api/mkt/nothing')).json()
  const wrong = await (await ask('/api/mkt/history/bitcoin?days=2')).json()
  const body = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
  const refused = await (await ask('/api/mkt/listing-requests', body)).json()
  expect([missing, wrong, refused].map(checkNamed('ErrorAnswer'))).toEqual([null, null, null])
  expect(JSON.stringify(refused)).toContain('"issues":[{')
})

it('describes a listing request', () => {
  const check = checkNamed('ListingRequestBody')
  const least = answered.flatMap(({ takes }) => takes?.example ?? [])
  expect(least.map(check)).toEqual([null])
  expect(check({ name: 'Grove Coin', symbol: 'GROVE' })).toMatch(/website|anyOf/)
  expect(check({ name: 'Grove Coin', symbol: 'GROVE', explorer_url: 'https://a.example', colour: 'red' })).toBeNull()
  expect(check({ name: 'Grove Coin', symbol: 'GROVE', website: 'http://a.example' })).toMatch(/pattern/)
})
