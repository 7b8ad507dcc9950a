import { format } from 'prettier'
import { describe, expect, it } from 'vitest'
import { packedAnswersSource } from '../../scripts/client.ts'
import { answered } from '../../src/core/endpoints/table.ts'
import { ROUTES, methodOf } from '../../src/client/methods.ts'
import { routeRequest } from '../../src/client/route.ts'
import { answerSchemaOf, exampleKey, fileOf } from '../../src/core/contract/endpoint-spec.ts'
import { API_FOLDER } from '../../src/core/contract/prefix.ts'

it('packs answers with read-only members, their documentation, and named objects of lists', async () => {
  const text = await format(packedAnswersSource(), {
    parser: 'typescript',
    semi: false,
    singleQuote: true,
    printWidth: 120,
  })
  const members = text.split('\n').filter((line) => /^\s+[\w[][^*]*: /.test(line))
  expect(members.length).toBeGreaterThan(200)
  expect(members.filter((line) => !/^\s+readonly /.test(line))).toEqual([])
  expect(text).not.toMatch(/(?<!readonly )\b\w+\[\]/)
  expect(text).toContain('  /** Coins in circulation. */\n  readonly circulating_supply: Amount | null\n')
  expect(text).toContain('readonly explorers: readonly AssetExplorer[]')
})

it('has a method for every endpoint, and no two of one name', () => {
  const names = answered.filter(({ isDerived }) => !isDerived).map(methodOf)
  expect(new Set(names).size).toBe(names.length)
  expect(Object.keys(ROUTES).toSorted()).toEqual(names.toSorted())
})

describe('asks for the file', () => {
  const examples = answered.flatMap((spec) => {
    const key = spec.method === 'GET' ? exampleKey(spec) : null
    return key === null ? [] : [{ spec, key }]
  })
  it.each(examples.map(({ spec, key }) => [methodOf(spec), spec, key] as const))(
    'of %s that the tree has',
    (method, spec, key) => {
      const route = Object.entries(ROUTES).find(([name]) => name === method)?.[1]
      expect(route && routeRequest(route, key).paths.map((path) => API_FOLDER + path)).toContain(fileOf(spec, key))
      expect(Object.keys(answerSchemaOf(spec).shape)).toContain(route?.member ?? 'rows')
    },
  )
})
