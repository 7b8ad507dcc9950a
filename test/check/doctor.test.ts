import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { diagnose, diagnosisText } from '../../src/check/doctor.ts'
import { specs } from '../../src/endpoints/table.ts'
import { NOON, newFolder, copySampleTree } from '../sample-tree.ts'

const good = newFolder()
let root: string
beforeAll(async () => {
  await copySampleTree(good, 20)
}, 60_000)
beforeEach(() => {
  root = newFolder()
  cpSync(good, root, { recursive: true, preserveTimestamps: true })
})
const at = (file: string) => join(root, 'api', file)
const edit = (file: string, from: RegExp, to: string) =>
  writeFileSync(at(file), readFileSync(at(file), 'utf8').replace(from, to))
const found = (now = NOON) => diagnose(root, specs, now).findings

it('finds a good tree good', () => {
  const diagnosis = diagnose(root, specs, NOON)
  expect(diagnosis.findings).toEqual([])
  expect(diagnosisText(diagnosis)).toMatch(/^\d+ documents checked, 0 faults$/)
})

it.each<readonly [string, () => void, RegExp, boolean]>([
  [
    'a changed byte',
    () => edit('mkt/assets/bitcoin.json', /Bitcoin/, 'Bitcorn'),
    /bitcoin\.json is not what the manifest says/,
    true,
  ],
  ['a lost file', () => rmSync(at('mkt/markets.json')), /markets\.json is missing/, true],
  ['a lost index', () => rmSync(at('mkt.json')), /mkt\.json is missing or damaged/, true],
  [
    'a damaged manifest',
    () => writeFileSync(at('mkt/manifest.json'), '{'),
    /manifest\.json is missing or damaged/,
    true,
  ],
  [
    'a count that is wrong',
    () => edit('mkt/collector.json', /"count":\d+/, '"count":99'),
    /collector\.json is not what/,
    true,
  ],
  [
    'a broken index',
    () => edit('mkt.json', /"version":"v1"/, '"version":1'),
    /mkt\.json breaks its schema: version/,
    true,
  ],
  ['a stray file', () => writeFileSync(at('mkt/stray.json'), '{}'), /stray\.json is named by no manifest/, false],
  ['an old twin', () => writeFileSync(at('mkt/assets.json.gz'), ''), /assets\.json\.gz is older than its file/, true],
  ['a cut publication', () => writeFileSync(join(root, '.journal'), '{}'), /a publication was cut off/, true],
  [
    'a lock that was left',
    () => writeFileSync(join(root, '.lock'), JSON.stringify({ pid: 999_999_999, host: hostname(), since: 'x' })),
    /a lock was left by process 999999999/,
    false,
  ],
  [
    'a build that runs',
    () => writeFileSync(join(root, '.lock'), JSON.stringify({ pid: process.pid, host: hostname(), since: 'x' })),
    /it is being built by process/,
    false,
  ],
])('finds %s', (_, harm, what, grave) => {
  mkdirSync(join(root, 'api'), { recursive: true })
  harm()
  const finding = found().find((one) => what.test(one.what))
  expect(finding).toMatchObject({ grave })
  expect(finding?.advice).toMatch(/\w/)
})

it('says how old a tree is that is stale', () => {
  expect(found(NOON + 24 * 3_600_000)).toMatchObject([
    { what: 'the tree is of 2026-11-20T12:00:00Z and stale since 2026-11-20T13:30:00Z', grave: false },
  ])
})
