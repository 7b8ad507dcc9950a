import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  type EndpointSpec,
  type Key,
  answerSchemaOf,
  fileOf,
  fileParameters,
  urlOf,
} from '../../src/core/contract/endpoint-spec.ts'
import { DAYS } from '../../src/core/contract/history.ts'
import { ManifestRow } from '../../src/core/contract/manifest.ts'
import { limitVariants } from '../../src/core/contract/limit-variants.ts'
import { specs, published } from '../../src/core/endpoints/table.ts'
import { resolve } from '../../src/service/resolve.ts'
import { SAMPLE_LISTINGS, copyChangedSampleTree, newFolder } from '../sample-tree.ts'
import { keysIn } from './keys-in-tree.ts'

const root = newFolder()
const files = new Map<string, string>()

beforeAll(async () => {
  await copyChangedSampleTree(root)
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.json')) files.set(name, readFileSync(join(root, name), 'utf8'))
})

const Index = z.object({ endpoints: z.array(z.object({ path: z.string(), example: z.string() })) })

const keysOf = (endpoint: EndpointSpec): readonly Key[] => keysIn(files.keys(), endpoint)

describe.each(published.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (_, endpoint) => {
  it('has a document for every key, and each keeps its contract', () => {
    const answer = answerSchemaOf(endpoint)
    let documents = 0
    for (const key of keysOf(endpoint)) {
      const text = files.get(fileOf(endpoint, key))
      expect(text, fileOf(endpoint, key)).toBeDefined()
      const body: unknown = JSON.parse(text ?? '')
      expect(answer.safeParse(body).error?.issues.slice(0, 3), fileOf(endpoint, key)).toBeUndefined()
      documents++
    }
    expect(documents).toBeGreaterThan(0)
  })

  it('is found again from the address of each document', () => {
    for (const key of keysOf(endpoint))
      expect(resolve(specs, 'GET', new URL(urlOf(endpoint, key), 'http://host'))).toMatchObject({
        kind: 'document',
        file: fileOf(endpoint, key),
      })
  })

  it('has an example that the tree answers', () => {
    const { endpoints } = Index.parse(JSON.parse(files.get('api/mkt.json') ?? ''))
    const example = endpoints.find(({ path }) => path === `/api/mkt${endpoint.path}`)?.example
    const found = resolve(specs, 'GET', new URL(`http://host${example}`))
    expect(found.kind === 'document' && files.has(found.file)).toBe(true)
  })

  it('keeps the envelope first and every number free of exponents', () => {
    for (const key of keysOf(endpoint)) {
      const text = files.get(fileOf(endpoint, key)) ?? ''
      expect(text.startsWith('{"ok":true,\n"product":"Quotetree",\n"endpoint":')).toBe(true)
      expect(text.endsWith('}\n')).toBe(true)
      expect(/[:,[]-?\d[\d.]*e[+-]?\d/i.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'))).toBe(false)
    }
  })

  if ('limit' in endpoint.parameters)
    it('has its shortened lists, each the beginning of the whole one', () => {
      const full = files.get(fileOf(endpoint, {})) ?? ''
      const { count } = z.object({ count: z.number() }).parse(JSON.parse(full))
      const [head = '', entries = ''] = full.split(/(?<=\n"(?:rows":\[|prices":\{)\n)/)
      for (const limit of limitVariants(count)) {
        const own = entries.split('\n').slice(0, Math.min(limit, count))
        const shortened = head.replace(`"count":${count},`, `"count":${own.length},`) + own.join('\n').replace(/,$/, '')
        expect(files.get(fileOf(endpoint, { limit }))).toBe(`${shortened}${full.slice(-4)}`)
      }
    })
})

it('writes variants of a list for the lists that have a limit alone, and few of a long one', () => {
  const lists = new Map<string, number>()
  for (const file of files.keys()) {
    const [, list] = /^(.*)\/limit=\d+\.json$/.exec(file) ?? []
    if (list !== undefined) lists.set(list, (lists.get(list) ?? 0) + 1)
  }
  const limited = published.filter((endpoint) => 'limit' in endpoint.parameters)
  expect([...lists.keys()].toSorted()).toEqual(limited.map((one) => fileOf(one, {}).replace('.json', '')).toSorted())
  expect(Math.max(...lists.values())).toBeLessThanOrEqual(8)
})

it('has every document of every listing', () => {
  const Listings = z.object({ rows: z.array(z.object({ slug: z.string() })) })
  const { rows } = Listings.parse(JSON.parse(files.get('api/mkt/markets.json') ?? ''))
  expect(rows.length).toBeGreaterThanOrEqual(SAMPLE_LISTINGS)
  for (const { slug } of rows)
    for (const path of [
      `assets/${slug}`,
      `assets/${slug}/markets`,
      ...DAYS.map((days) => `history/${slug}/days=${days}`),
    ])
      expect(files.has(`api/mkt/${path}.json`), path).toBe(true)
})

it('writes nothing that no endpoint names', () => {
  // A plain file host answers a path without its query with the file of the default.
  const filesOf = (endpoint: EndpointSpec, key: Key) =>
    fileParameters(endpoint).reduce(
      (all, [name, { default: own }]) => {
        const { [name]: value, ...others } = key
        return own === undefined || own !== value ? all : [...all, fileOf(endpoint, others)]
      },
      [fileOf(endpoint, key)],
    )
  const named = new Set(published.flatMap((endpoint) => keysOf(endpoint).flatMap((key) => filesOf(endpoint, key))))
  const others = [...files.keys()].filter((file) => !named.has(file) && !/\/limit=\d+\.json$/.test(file))
  expect(others.filter((file) => file.startsWith('api/mkt'))).toEqual([])
})

it('names every other file in the manifest with its digest', () => {
  const Listed = z.object({ rows: z.array(ManifestRow) })
  const rowsIn = (file: string) => Listed.parse(JSON.parse(files.get(file) ?? '')).rows
  const parts = rowsIn('api/mkt/manifest.json')
  const rows = [...parts, ...parts.flatMap(({ path }) => rowsIn(path))]
  // These change with every run; the index holds their digests, or they follow from it.
  const own = ['api/mkt.json', 'api/mkt/manifest.json', 'api/mkt/collector.json', 'api/mkt/head.json']
  const there = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !/^(?:\.|state\/)/.test(file) && !own.includes(file))
  expect(rows.map(({ path }) => path).toSorted()).toEqual(there.toSorted())
  const digestOf = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest('hex')
  expect(rows.filter(({ path, sha256 }) => digestOf(path) !== sha256)).toEqual([])
})

it('names the snapshot in the index alone, and the rows of the manifest by a digest of their own', () => {
  const [index, manifest] = ['api/mkt.json', 'api/mkt/manifest.json'].map((file) => JSON.parse(files.get(file) ?? ''))
  expect(index).toHaveProperty('snapshotId')
  expect(manifest).toHaveProperty('rowsDigest')
  expect(manifest).not.toHaveProperty('snapshotId')
})

it('links its description, its documentation and what changes', () => {
  const index: unknown = JSON.parse(files.get('api/mkt.json') ?? '')
  const links = { openapi: '/openapi.json', docs: '/docs/', manifest: '/api/mkt/manifest', changes: '/api/mkt/changes' }
  expect(index).toMatchObject({ links })
  expect(files.has(links.openapi.slice(1))).toBe(true)
})

it('shows every kind of unknown in the sample', () => {
  const text = files.get('api/mkt/markets.json') ?? ''
  const nullable = [
    'market_cap_rank',
    'price_usd',
    'percent_change_24h',
    'market_cap_usd',
    'max_supply',
    'logo_url',
    'last_updated',
  ]
  expect(nullable.filter((name) => !text.includes(`"${name}":null`))).toEqual([])
})
