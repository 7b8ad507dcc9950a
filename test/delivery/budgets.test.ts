import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ManifestRow } from '../../src/core/contract/manifest.ts'
import { HOST_BUDGETS, hostsFor } from '../../src/delivery/budgets.ts'
import { excess, footprintOf } from '../../src/core/tree/budget.ts'
import { NOON, NO_REQUESTS, newFolder, sampleRun, copySampleTree } from '../sample-tree.ts'
import { deepIt } from '../scale.ts'

const row = (path: string, bytes: number): ManifestRow => ({
  path,
  bytes,
  sha256: '0'.repeat(64),
  timestamp: '2026-11-20T12:00:00Z',
})
const many = (count: number, bytes = 1) => Array.from({ length: count }, (_, n) => row(`f/${n}.json`, bytes))
const MIB = 2 ** 20

it.each([
  ['cloudflare', many(20_000), 0],
  ['cloudflare', many(20_001), 1],
  ['cloudflare', [row('a.json', 25 * MIB)], 0],
  ['cloudflare', [row('a.json', 25 * MIB + 1)], 1],
  ['cloudflare', [...many(20_000), row('a.json', 25 * MIB + 1)], 2],
  ['cloudflare-paid', many(20_001), 0],
  ['github-pages', [row('a.json', 10 ** 9)], 0],
  ['github-pages', many(2, 5 * 10 ** 8 + 1), 1],
] as const)('holds a tree against the limits of %s, the limit itself allowed', (host, rows, broken) => {
  expect(excess(footprintOf(rows), HOST_BUDGETS[host])).toHaveLength(broken)
})

it('fits an empty tree on every host', () => {
  const footprint = footprintOf([])
  expect(footprint).toEqual({ files: 0, bytes: 0, largest: null })
  expect(hostsFor(footprint).flatMap(({ excess }) => excess)).toEqual([])
})

it('weighs what lies on the disk', async () => {
  const root = newFolder()
  const { published } = await sampleRun(root, { count: 3, history: NO_REQUESTS })
  const sizes = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size)
  expect(published?.footprint).toMatchObject({ files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) })
})

deepIt('refuses a tree over its budget and leaves the last one as it was', async () => {
  const root = newFolder()
  await copySampleTree(root)
  const files = () =>
    readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')])
  const before = files()
  const budget = { files: before.length, bytes: null, file_bytes: null }
  const hour = { now: NOON + 3_600_000, budget }
  const tight = { ...budget, files: 60 }
  await expect(sampleRun(root, { ...hour, count: 25, budget: tight })).rejects.toMatchObject({
    reason: 'over_budget',
    message: expect.stringMatching(/files, \d+ are allowed.*--listings.*--budget/),
  })
  expect(files()).toEqual(before)
  // The past that came in since takes some files more.
  const wider = { ...budget, files: before.length + 20 }
  await expect(sampleRun(root, { ...hour, count: 20, budget: wider })).resolves.toMatchObject({ outcome: 'published' })
})

it('counts the tables of rows too, as a host does', async () => {
  const root = newFolder()
  const { published } = await sampleRun(root, { count: 3, history: NO_REQUESTS })
  const there = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('.'),
  )
  expect(published?.footprint.files).toBe(there.length)
})
