import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { ENDPOINT_GROUPS, exampleKey } from '../../src/core/contract/endpoint-spec.ts'
import { TEXT_TABLES } from '../../src/exports/text-tables.ts'
import { answered, published } from '../../src/core/endpoints/table.ts'
import { NOON, NO_REQUESTS, newFolder, sampleRun, copySampleTree } from '../sample-tree.ts'
import { hasTools, toolFile } from '../tools.ts'
import { Document, operationFor, responseOf } from './document.ts'
import { deepIt } from '../scale.ts'

const root = newFolder()
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')
const read = (file: string): unknown => JSON.parse(textOf(file))
const described = () => Document.parse(read('openapi.json'))
let first = ''

beforeAll(async () => {
  await copySampleTree(root)
  first = textOf('openapi.json')
})

it.skipIf(!hasTools)('is without error or warning for a linter of OpenAPI', async () => {
  const linter = toolFile('@redocly/cli/bin/cli.js')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [linter, 'lint', 'openapi.json', '--extends', 'recommended-strict', '--format', 'json'],
    { cwd: root, env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  )
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } })
})

it('has every endpoint once, with its own name and every parameter', () => {
  const { paths } = described()
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const operationIds = operations.map(({ operationId }) => operationId)
  const asCsv = answered.filter((spec) => 'format' in spec.parameters)
  expect(operations.length).toBe(answered.length + asCsv.length + TEXT_TABLES.length)
  expect(new Set(operationIds).size).toBe(operations.length)
  for (const spec of answered) {
    const { parameters } = operationFor(described(), spec)
    const own = parameters.flatMap((parameter) => ('name' in parameter ? [parameter.name] : []))
    expect(own).toEqual(Object.keys(spec.parameters).filter((name) => name !== 'format'))
  }
})

it('lets code generators name and type every answer: one content type each, and names that differ by more than case', () => {
  const document = described()
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  for (const operation of operations)
    for (const status of Object.keys(operation.responses)) {
      const types = Object.keys(responseOf(document, operation, status)?.content ?? {})
      expect(types.length, `${operation.operationId} ${status}`).toBeLessThanOrEqual(1)
    }
  const ids = operations.map(({ operationId }) => operationId)
  expect(ids.filter((id) => !/^[a-z][a-zA-Z0-9]*$/.test(id))).toEqual([])
  // openapi-typescript, orval and hey-api name types after an operation and after a schema.
  const suffixes = ['', 's'].flatMap((end) => [`Response${end}`, `Error${end}`, `Data${end}`, `Params${end}`])
  const names = [
    ...Object.keys(document.components.schemas),
    ...ids.flatMap((id) => suffixes.map((suffix) => id + suffix)),
  ].map((name) => name.toLowerCase())
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

it('gives the values and the default of a parameter', () => {
  const history = answered.find(({ name }) => name === 'history')
  const { parameters } = operationFor(described(), history)
  expect(parameters).toContainEqual(
    expect.objectContaining({
      in: 'query',
      schema: expect.objectContaining({ type: 'integer', enum: [1, 7, 30, 90, 365], default: 7 }),
    }),
  )
  const lists = answered.filter(({ parameters }) => 'limit' in parameters)
  for (const list of lists)
    expect(operationFor(described(), list).parameters[0]).toMatchObject({
      name: 'limit',
      schema: { type: 'integer', minimum: 1 },
    })
})

it('has the files of text, and nothing that a saved copy would not find', () => {
  const { paths } = described()
  for (const { path, contentType } of TEXT_TABLES) {
    expect(textOf(`api/mkt${path}`)).not.toBe('')
    expect(JSON.stringify(paths[`/api/mkt${path}`])).toContain(contentType)
  }
  expect(first).not.toContain('externalValue')
  const references = [...first.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference)
  expect(references.filter((reference) => !reference?.startsWith('#/'))).toEqual([])
})

it('shows endpoints by group, and in it those of one path together, the shortest first', () => {
  const tags = Object.values(described().paths).flatMap((methods) =>
    Object.values(methods).map(({ tags: [tag] }) => tag),
  )
  expect([...new Set(tags)]).toEqual(ENDPOINT_GROUPS)
  const paths = Object.keys(described().paths)
  expect(paths.indexOf('/api/mkt/exchanges/{exchange}')).toBe(paths.indexOf('/api/mkt/exchanges') + 1)
})

it('works below any base path', () => {
  const { servers } = described()
  expect(servers.map(({ url }) => new URL(url, 'https://host.example/below/openapi.json').pathname)).toEqual([
    '/below/',
  ])
})

it('describes every schema that is a number or a row', () => {
  const plain = Object.entries(described().components.schemas).filter(
    ([name, { description }]) => description === undefined && !name.endsWith('Answer'),
  )
  expect(plain.map(([name]) => name).toSorted()).toEqual(['EndpointEntry', 'Links', 'TokenContract'])
})

it('leads to the answers of the tree beside it', () => {
  const links = [...textOf('openapi.json').matchAll(/"x-file":"\/([^"]+)"/g)].map(([, file = '']) => file)
  expect(links.length).toBe(published.filter((spec) => exampleKey(spec)).length)
  for (const link of links) expect(read(link)).toMatchObject({ ok: true })
})

deepIt('does not change with the prices', async () => {
  await sampleRun(root, { now: NOON + 1_800_000, history: NO_REQUESTS })
  expect(textOf('openapi.json')).toBe(first)
})
