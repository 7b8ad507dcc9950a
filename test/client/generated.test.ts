import { readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type * as z from 'zod'
import { answersSource, methodOf, methodsSource } from '../../scripts/client-source.ts'
import { answered } from '../../src/endpoints/table.ts'
import type * as plain from '../../src/client/answers.ts'
import { ROUTES } from '../../src/client/methods.ts'
import { requestOf } from '../../src/client/route.ts'
import type { IndexMembers } from '../../src/contract/api-index.ts'
import type { Asset, AssetRow, MarketsRow } from '../../src/contract/asset.ts'
import type { ChangesMembers } from '../../src/contract/changes.ts'
import type { SourceRow } from '../../src/contract/collector.ts'
import { answerSchemaOf, fileOf } from '../../src/contract/endpoint-spec.ts'
import type { ErrorAnswer } from '../../src/contract/error.ts'
import type { ListingRequestBody, RequestRow, RequestsMembers } from '../../src/contract/listing-request.ts'
import type { Market } from '../../src/contract/market.ts'
import { API_FOLDER } from '../../src/contract/prefix.ts'
import { resolve } from '../../src/service/resolve.ts'

const fileIn = (name: string) => readFileSync(new URL(`../../src/client/${name}`, import.meta.url), 'utf8')

it('matches the table of endpoints, as npm run client writes it', async () => {
  expect(fileIn('answers.ts')).toBe(await answersSource())
  expect(fileIn('methods.ts')).toBe(await methodsSource())
})

it('declares members read-only, with their documentation, and names the objects of lists', () => {
  const text = fileIn('answers.ts')
  const members = text.split('\n').filter((line) => /^\s+[\w[][^*]*: /.test(line))
  expect(members.length).toBeGreaterThan(200)
  expect(members.filter((line) => !/^\s+readonly /.test(line))).toEqual([])
  expect(text).not.toMatch(/(?<!readonly )\b\w+\[\]/)
  expect(text).toContain('  /** Coins in circulation. */\n  readonly circulating_supply: Amount | null\n')
  expect(text).toContain('readonly explorers: readonly AssetExplorer[]')
})

it('has a method for every endpoint, and no two of one name', () => {
  const names = answered.map(methodOf)
  expect(new Set(names).size).toBe(names.length)
  expect(Object.keys(ROUTES).toSorted()).toEqual(names.toSorted())
})

describe('asks for the file', () => {
  const examples = answered.flatMap((spec) => {
    const found = resolve(answered, 'GET', new URL(`/api/mkt${spec.example}`, 'http://host'))
    return found.kind === 'document' && found.spec === spec ? [{ spec, key: found.key }] : []
  })
  it.each(examples.map(({ spec, key }) => [methodOf(spec), spec, key] as const))(
    'of %s that the tree has',
    (method, spec, key) => {
      const route = Object.entries(ROUTES).find(([name]) => name === method)?.[1]
      expect(route && requestOf(route, key).paths.map((path) => API_FOLDER + path)).toContain(fileOf(spec, key))
      expect(Object.keys(answerSchemaOf(spec).shape)).toContain(route?.member)
    },
  )
})

/** As published things are: not to be written to. */
type Frozen<T> = T extends (infer Row)[]
  ? readonly Frozen<Row>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T
type AnswerOf<Members extends Readonly<Record<string, z.ZodType>>> = plain.Envelope &
  Frozen<z.infer<z.ZodObject<Members>>>
/** Intersections compare as what they come to. */
type Flat<T> = { [Name in keyof T]: T[Name] }

it('states the schemas as plain types', () => {
  expectTypeOf<plain.AssetRow>().toEqualTypeOf<Frozen<AssetRow>>()
  expectTypeOf<plain.MarketsRow>().toEqualTypeOf<Frozen<MarketsRow>>()
  expectTypeOf<plain.Asset>().toEqualTypeOf<Frozen<Asset>>()
  expectTypeOf<plain.Market>().toEqualTypeOf<Frozen<Market>>()
  expectTypeOf<plain.SourceRow>().toEqualTypeOf<Frozen<SourceRow>>()
  expectTypeOf<plain.RequestRow>().toEqualTypeOf<Frozen<RequestRow>>()
  expectTypeOf<Flat<plain.IndexAnswer>>().toEqualTypeOf<Flat<AnswerOf<typeof IndexMembers>>>()
  expectTypeOf<Flat<plain.ChangesAnswer>>().toEqualTypeOf<Flat<AnswerOf<typeof ChangesMembers>>>()
  expectTypeOf<Flat<plain.ListingRequestsAnswer>>().toEqualTypeOf<Flat<AnswerOf<typeof RequestsMembers>>>()
  expectTypeOf<plain.ErrorAnswer['error']['code']>().toEqualTypeOf<ErrorAnswer['error']['code']>()
  expectTypeOf<Frozen<z.input<typeof ListingRequestBody>>>().toExtend<plain.ListingRequestBody>()
})
