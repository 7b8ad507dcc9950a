import { describe, expect, it } from 'vitest'
import { groupsOf, operationsOf, typeOf } from '../../src/pages/reference.ts'

const document = {
  tags: [{ name: 'Lists' }, { name: 'History', description: 'Past prices.' }],
  paths: {
    '/api/mkt/history/{slug}': {
      parameters: [{ $ref: '#/components/parameters/Slug' }],
      get: {
        operationId: 'history',
        tags: ['History'],
        'x-file': '/api/mkt/history/bitcoin/days=7.json',
        summary: 'Prices of the past.',
        parameters: [
          { name: 'days', in: 'query', schema: { type: 'integer', enum: [1, 7], default: 7 } },
          { name: 'If-None-Match', in: 'header', schema: { type: 'string' } },
        ],
        responses: {
          '200': {
            description: 'Good.',
            content: {
              'application/json': {
                schema: { anyOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] },
                examples: { published: { $ref: '#/components/examples/history' } },
              },
            },
          },
          '404': { $ref: '#/components/responses/None' },
        },
      },
    },
    '/api/mkt/listing-requests': {
      post: {
        operationId: 'submit',
        requestBody: { content: { 'application/json': { examples: { short: { value: { name: 'A' } } } } } },
        responses: { '202': { description: 'Taken.' } },
      },
    },
  },
  components: {
    parameters: { Slug: { name: 'slug', in: 'path', example: 'bitcoin', schema: { type: 'string' } } },
    responses: { None: { description: 'None.' } },
    examples: { history: { value: { ok: true, sourceError: null, rows: [{ price_usd: 1, volume_24h_usd: null }] } } },
  },
}

describe('an operation', () => {
  const [history, submit] = operationsOf(document)

  it('has its parameters, those of its path and those named elsewhere, but for headers', () =>
    expect(history?.parameters).toEqual([
      { name: 'slug', description: '', usual: '' },
      { name: 'days', description: '', usual: '7' },
    ]))

  it('states its parameters and its answer', () => {
    expect(history).toMatchObject({
      method: 'GET',
      statuses: [
        ['200', 'Good.'],
        ['404', 'None.'],
      ],
    })
    expect(submit).toMatchObject({ method: 'POST', statuses: [['202', 'Taken.']] })
  })

  it('has the schema of the published answer, its file and an example without unknown members', () => {
    expect(history?.answer).toEqual({ $ref: '#/components/schemas/A' })
    expect(history?.file).toBe('/api/mkt/history/bitcoin/days=7.json')
    expect(JSON.parse(history?.example ?? '')).toEqual({ ok: true, rows: [{ price_usd: 1 }] })
    expect(submit).toMatchObject({ example: null, file: '' })
  })

  it('stands in its group, in the order of the groups', () => {
    const groups = groupsOf(document).map(({ name, operations }) => [name, operations.map(({ id }) => id)])
    expect(groups).toEqual([
      ['Lists', []],
      ['History', ['history']],
    ])
  })
})

it.each([
  [{ type: 'string' }, 'string'],
  [{ anyOf: [{ $ref: '#/components/schemas/Price' }, { type: 'null' }] }, 'Price or null'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Market' } }, 'list of Market'],
  [{ enum: ['a', 'b'] }, 'a | b'],
  [{ const: true }, 'true'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{}, 'any'],
])('%j is told as %s', (schema, text) => expect(typeOf(schema)).toBe(text))

it('ignores a file that is no document', () =>
  expect([operationsOf(null), operationsOf({ paths: [] })]).toEqual([[], []]))
