import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { diagnose, diagnosisText } from '../../src/check/doctor.ts'
import { specs } from '../../src/endpoints/table.ts'
import { NOON, copyLeanTree, leanRun, newFolder } from '../sample-tree.ts'

const good = newFolder()
let root: string
beforeAll(async () => {
  await copyLeanTree(good)
})
beforeEach(() => {
  root = newFolder()
  cpSync(good, root, { recursive: true, preserveTimestamps: true })
})
const at = (file: string) => join(root, 'api', file)
const replaceByFolder = (file: string) => {
  rmSync(at(file))
  mkdirSync(at(file))
}
const edit = (file: string, from: RegExp, to: string) =>
  writeFileSync(at(file), readFileSync(at(file), 'utf8').replace(from, to))
const found = (now = NOON) => diagnose(root, specs, now).problems

it('finds a good tree good', () => {
  const diagnosis = diagnose(root, specs, NOON)
  expect(diagnosis.problems).toEqual([])
  expect(diagnosisText(diagnosis)).toMatch(/^\d+ documents checked, 0 errors$/)
})

it.each<readonly [string, () => void, RegExp, boolean]>([
  [
    'a changed byte',
    () => edit('mkt/assets/bitcoin.json', /Bitcoin/, 'Bitcorn'),
    /bitcoin\.json differs from its digest/,
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
    /collector\.json differs from its digest/,
    true,
  ],
  [
    'a broken index',
    () => edit('mkt.json', /"version":"v1"/, '"version":1'),
    /mkt\.json does not match its schema: version/,
    true,
  ],
  ['a stray file', () => writeFileSync(at('mkt/stray.json'), '{}'), /stray\.json is not listed in the manifest/, false],
  [
    'an old twin',
    () => writeFileSync(at('mkt/assets.json.gz'), ''),
    /assets\.json\.gz is not the compressed form/,
    true,
  ],
  ['a cut publication', () => writeFileSync(join(root, '.journal'), '{}'), /A publication was interrupted/, true],
  [
    'a lock that was left',
    () => writeFileSync(join(root, '.lock'), JSON.stringify({ pid: 999_999_999, host: hostname(), since: 'x' })),
    /A lock was left by process 999999999/,
    false,
  ],
  [
    'a build that runs',
    () => writeFileSync(join(root, '.lock'), JSON.stringify({ pid: process.pid, host: hostname(), since: 'x' })),
    /The tree is being built by process/,
    false,
  ],
  ['a folder in place of a file', () => replaceByFolder('mkt/assets.json'), /assets\.json is a folder/, true],
])('finds %s', (_, harm, message, isError) => {
  mkdirSync(join(root, 'api'), { recursive: true })
  harm()
  const problem = found().find((one) => message.test(one.message))
  expect(problem).toMatchObject({
    severity: isError ? 'error' : 'notice',
    advice: expect.stringMatching(/^[A-Z].*\.$/),
  })
})

it('gives advice that repairs the error and deletes nothing', async () => {
  edit('mkt/assets/limit=10.json', /Bitcoin/, 'Bitcorn')
  const advice = found().map(({ advice }) => advice)
  expect(advice).toEqual([
    `Run npm run snapshot -- --out ${root} --sources sample, which takes it from the state archive or composes it again, within a day of runs.`,
  ])
  await leanRun(root)
  expect(found()).toEqual([])
})

it('reports the age of a stale tree', () => {
  expect(found(NOON + 24 * 3_600_000)).toMatchObject([
    {
      message: 'The tree was built at 2026-11-20T12:00:00Z and is stale since 2026-11-20T13:30:00Z.',
      severity: 'notice',
    },
  ])
})
