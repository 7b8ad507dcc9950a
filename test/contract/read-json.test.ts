import * as z from 'zod'
import { expect, it } from 'vitest'
import { MOST_VALUES, checked, parseJson, readJson } from '../../src/core/contract/read-json.ts'

it.each([
  ['numbers', '0,'],
  ['objects', '{},'],
  ['lists', '[],'],
])('a JSON text with more %s than a document has is not parsed', (_, part) => {
  expect(parseJson(`[${part.repeat(MOST_VALUES + 1)}0]`)).toBeUndefined()
})

it('a long JSON text of few values is parsed', () => {
  const text = 'x'.repeat(3 * MOST_VALUES)
  expect(parseJson(JSON.stringify([text]))).toEqual([text])
})

it('a list is compared with its schema up to the first fault', () => {
  const Rows = z.object({ rows: z.array(z.object({ path: z.string(), bytes: z.number() })) })
  const { error } = checked({ rows: Array.from({ length: 1000 }, () => 0) }, Rows)
  expect(error?.issues.map(({ path }) => path)).toEqual([['rows', 0]])
  expect(readJson('{"rows":[{"path":"a","bytes":1}]}', Rows)).toEqual({ rows: [{ path: 'a', bytes: 1 }] })
})
