import { execFile } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageOf, publishToNpm } from '../../src/delivery/npm.ts'
import { leanRun, newFolder } from '../sample-tree.ts'
import { npmRegistry } from './npm-registry.ts'

const NAME = '@grove/quotes'
const DAY = Date.UTC(2026, 10, 22, 12)
const root = newFolder()
let registry: Awaited<ReturnType<typeof npmRegistry>>
beforeAll(async () => {
  registry = await npmRegistry()
  await leanRun(root, { now: DAY })
})
afterAll(() => registry.close())

const publish = (
  given: { readonly name?: string; readonly token?: string | undefined; readonly mostBytes?: number } = {},
) =>
  publishToNpm({
    root,
    name: NAME,
    scratch: tmpdir(),
    ...given,
    registry: { url: registry.url, token: 'token' in given ? given.token : 'publisher', ask: fetch, env: process.env },
  })

it('takes the names of packages', () => {
  expect(['npm:quotes', 'npm:@grove/quotes', 'npm:../x', 'npm:@grove', 'npm:A', 's3://x'].map(packageOf)).toEqual([
    'quotes',
    '@grove/quotes',
    null,
    null,
    null,
    null,
  ])
})

describe('a package per day', () => {
  it.each([
    [
      'a missing token',
      { token: undefined },
      'Set NPM_TOKEN to a token that may publish @grove/quotes; nothing was sent.',
    ],
    ['a token that is not accepted', { token: 'old' }, 'the token is not accepted. Set NPM_TOKEN to a new one.'],
    ['a name that is taken', { name: '@taken/quotes' }, 'latest is still unset: the name belongs to another account'],
    [
      'a tree over the limit',
      { mostBytes: 1000 },
      'has more than the 0.001 MB that a package may have, so nothing was sent.',
    ],
  ])('refuses %s in one sentence', async (_, given, sentence) => {
    await expect(publish(given)).rejects.toThrow(sentence)
    expect(registry.tagsOf(NAME)).toEqual({})
  })

  it('is what npm installs, with every document as it is in the tree', async () => {
    expect(await publish()).toMatchObject({ version: '2026.11.22', isNew: true })
    expect(registry.tagsOf(NAME)).toMatchObject({ latest: '2026.11.22' })
    const place = newFolder()
    writeFileSync(join(place, 'package.json'), '{}')
    const args = [
      'install',
      NAME,
      '--registry',
      registry.url,
      '--no-audit',
      '--no-fund',
      '--cache',
      join(place, 'cache'),
    ]
    await promisify(execFile)('npm', args, { cwd: place })
    const file = 'api/mkt/assets/bitcoin.json'
    expect(readFileSync(join(place, 'node_modules', NAME, file))).toEqual(readFileSync(join(root, file)))
  })

  it('never changes: later runs of the day leave it as it is', async () => {
    expect(await publish()).toEqual({ version: '2026.11.22', isNew: false, bytes: null })
  })

  it('leaves latest where an upload is cut off, and is complete after the next run', async () => {
    await leanRun(root, { now: DAY + 24 * 3_600_000 })
    registry.isCut = (path) => path === NAME
    await expect(publish()).rejects.toThrow(
      '@grove/quotes: 2026.11.23 was not published, and latest is still 2026.11.22: the registry cannot be reached. Run again.',
    )
    registry.isCut = (path) => path.startsWith('-/')
    await expect(publish()).rejects.toThrow('2026.11.23 is there, but latest was not moved to it')
    expect(registry.tagsOf(NAME)).toMatchObject({ latest: '2026.11.22', offered: '2026.11.23' })
    registry.isCut = () => false
    expect(await publish()).toMatchObject({ version: '2026.11.23', isNew: false })
    expect(registry.tagsOf(NAME)).toMatchObject({ latest: '2026.11.23' })
  })

  it('sends nothing of a tree that differs from its manifest', async () => {
    await leanRun(root, { now: DAY + 48 * 3_600_000 })
    appendFileSync(join(root, 'api/mkt/assets/bitcoin.json'), ' ')
    await expect(publish()).rejects.toThrow('bitcoin.json does not match the manifest')
    expect(registry.tagsOf(NAME)).toMatchObject({ latest: '2026.11.23' })
  })
})
