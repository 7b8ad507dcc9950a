import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { convertedSchemaOf } from '../../src/contract/endpoint-spec.ts'
import { answered } from '../../src/endpoints/table.ts'
import { ask } from '../service/world.ts'
import { copyChangedSampleTree, newFolder } from '../sample-tree.ts'
import { type Check, validator } from './validator.ts'

const List = z.object({
  schemas: z.array(
    z.object({
      schema: z.string(),
      is: z.enum(['answer', 'converted', 'error', 'body']),
      endpoint: z.string().nullable(),
      method: z.string().nullable(),
      path: z.string().nullable(),
    }),
  ),
})
type Entry = z.infer<typeof List>['schemas'][number]

const root = newFolder()
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))
let list: readonly Entry[] = []
const checks = new Map<string, Check>()

beforeAll(async () => {
  await copyChangedSampleTree(root)
  list = List.parse(read('schemas/schemas.json')).schemas
  for (const { schema } of list) checks.set(schema, validator(z.object().loose().parse(read(schema))))
})

const checkFor = (wanted: (entry: Entry) => boolean): Check =>
  checks.get(list.find(wanted)?.schema ?? '') ?? (() => 'there is no schema')

/** The schema of a document, chosen as a reader chooses it. */
const checkOf = (document: unknown): Check => {
  const { endpoint } = z.object({ endpoint: z.string() }).parse(document)
  return checkFor((entry) => entry.is === 'answer' && entry.method === 'GET' && entry.endpoint === endpoint)
}

it('has a schema for everything that goes over the wire, and a list of them', () => {
  const [converted, taken] = [answered.filter(convertedSchemaOf), answered.filter(({ takes }) => takes)]
  expect(list.length).toBe(answered.length + converted.length + taken.length + 1)
  expect(new Set(list.map(({ schema }) => schema)).size).toBe(list.length)
  const files = readdirSync(join(root, 'schemas')).map((file) => `schemas/${file}`)
  expect(files.toSorted()).toEqual([...list.map(({ schema }) => schema), 'schemas/schemas.json'].toSorted())
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

it('has the form of errors, with and without issues', async () => {
  const check = checkFor(({ is }) => is === 'error')
  const missing = await (await ask('/api/mkt/nothing')).json()
  const wrong = await (await ask('/api/mkt/history/bitcoin?days=2')).json()
  const body = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
  const refused = await (await ask('/api/mkt/listing-requests', body)).json()
  expect([missing, wrong, refused].map(check)).toEqual([null, null, null])
  expect(JSON.stringify(refused)).toContain('"issues":[{')
})

it('describes a listing request', () => {
  const check = checkFor(({ is }) => is === 'body')
  const least = answered.flatMap(({ takes }) => takes?.example ?? [])
  expect(least.map(check)).toEqual([null])
  expect(check({ name: 'Grove Coin', symbol: 'GROVE' })).toMatch(/website|anyOf/)
  expect(check({ name: 'Grove Coin', symbol: 'GROVE', explorer_url: 'https://a.example', colour: 'red' })).toBeNull()
  expect(check({ name: 'Grove Coin', symbol: 'GROVE', website: 'http://a.example' })).toMatch(/pattern/)
})
