import { expect, it } from 'vitest'
import { apiReferenceOf } from '../../src/pages/reference.ts'

const answer = (members: Readonly<Record<string, unknown>>) => ({
  type: 'object',
  properties: { ok: { type: 'boolean' }, timestamp: { type: 'string' }, ...members },
})
const json = (schema: unknown, examples = {}) => ({ content: { 'application/json': { schema, examples } } })
const ref = (group: string, name: string) => ({ $ref: `#/components/${group}/${name}` })

const reference = apiReferenceOf(
  JSON.stringify({
    paths: {
      '/api/mkt/history/{slug}': {
        get: {
          operationId: 'history',
          description: 'Prices of the past.',
          tags: ['History'],
          'x-file': '/api/mkt/history/bitcoin.json',
          parameters: [{ name: 'days', schema: { default: 7 } }, ref('parameters', 'IfNoneMatch')],
          responses: {
            200: {
              description: 'Good.',
              ...json(ref('schemas', 'HistoryAnswer'), { published: ref('examples', 'history') }),
            },
            404: ref('responses', 'NotFound'),
          },
        },
      },
      '/api/mkt/listing-requests': {
        post: {
          operationId: 'submit',
          description: 'Sends a request.',
          tags: ['Lists'],
          requestBody: json(ref('schemas', 'RequestBody'), { short: { value: { name: 'A' } } }),
          responses: { 202: { description: 'Taken.', ...json(ref('schemas', 'SubmitAnswer')) } },
        },
      },
    },
    components: {
      schemas: {
        HistoryAnswer: answer({ rows: { type: 'array', items: ref('schemas', 'Point') } }),
        SubmitAnswer: answer({ request_id: { type: 'string' } }),
        Point: { type: 'object', properties: { price_usd: { anyOf: [{ type: 'number' }, { type: 'null' }] } } },
        RequestBody: { type: 'object' },
      },
      responses: { NotFound: { description: 'None.' } },
    },
  }),
  (_, file) => `the answer of ${file}`,
)
const [history, submit] = reference.groups.flatMap(({ endpoints }) => endpoints)

it('groups the endpoints in the order of use, each with its own members and those of all answers apart', () => {
  expect(reference.groups.map(({ endpoints }) => endpoints.map(({ operationId }) => operationId))).toEqual([
    [],
    ['history'],
    ['submit'],
    [],
  ])
  expect(Object.keys(reference.envelope)).toEqual(['ok', 'timestamp'])
  expect([submit, history].map((endpoint) => Object.keys(endpoint?.members ?? {}))).toEqual([['request_id'], ['rows']])
})

it('shows what an endpoint takes, or a short answer, and its errors', () => {
  expect(submit).toMatchObject({ takes: 'RequestBody', method: 'POST' })
  expect(JSON.parse(submit?.example ?? '')).toEqual({ name: 'A' })
  expect(history?.example).toBe('the answer of api/mkt/history/bitcoin.json')
  expect(history?.errors).toEqual(['404'])
})

it('lists what is refused with its status, and the types that members refer to', () => {
  expect(reference.refusals).toEqual([['404', 'None.']])
  expect(Object.keys(reference.types)).toEqual(['Point', 'RequestBody'])
})
