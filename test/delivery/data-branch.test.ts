import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commitData } from '../../src/delivery/data-branch.ts'
import { DeliveryError } from '../../src/delivery/delivery-error.ts'
import { type Run, NOON, copyTree, newFolder, leanRun, NO_REQUESTS } from '../sample-tree.ts'
import { run } from '../e2e/commands.ts'
import { deepIt } from '../scale.ts'

const HOUR = 3_600_000
const env = { PATH: process.env['PATH'] ?? '', HOME: newFolder() }

let root: string
let remote: string
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', remote, ...args], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
const [first, second] = [newFolder(), newFolder()]
beforeAll(async () => {
  await quickRun(first, { count: 12 })
  copyTree(first, second)
  await quickRun(second, { count: 13, now: NOON + HOUR })
})
beforeEach(() => {
  root = newFolder()
  remote = newFolder()
  git('init', '--quiet', '--bare')
})

/** A run that asks for no past prices: no fact needs them. */
const quickRun = (folder: string, given: Partial<Run> & { count: number }) =>
  leanRun(folder, { history: NO_REQUESTS, ...given })

/** Puts a tree that was built once in the place of a run: the first, or the second with a listing more an hour later. */
const published = (tree: string) => copyTree(tree, root)

const to = () => ({ remote, branch: 'snapshots' })
const commit = () => commitData(root, to(), 'Somebody <s@s.example>', env)
const subjects = () => git('log', '--format=%s', 'snapshots').split('\n')
const show = (file: string) => git('show', `snapshots:${file}`)
const diffOf = (revision: string, ...paths: readonly string[]) =>
  git('diff', '--unified=0', `${revision}~1`, revision, '--', ...paths)
    .split('\n')
    .filter((line) => /^[+-](?![+-])/.test(line))

describe('the data branch', () => {
  it('holds one fact a line, sorted, and no price that moves', async () => {
    published(first)
    await commit()
    const lines = show('listings/b.tsv').split('\n')
    expect(lines).toEqual(
      expect.arrayContaining(['bitcoin\tsymbol\tBTC', 'bitcoin\tname\tBitcoin', 'bitcoin\tstatus\tactive']),
    )
    expect(lines).toEqual(lines.toSorted())
    expect(git('ls-tree', '-r', '--name-only', 'snapshots').split('\n')).toEqual(
      expect.arrayContaining(['README.md', 'method.tsv', 'sources.tsv', 'requests.tsv']),
    )
    expect(show('listings/b.tsv')).not.toMatch(/price|volume|rank/)
  })

  it('gets no commit from a run that only moved prices', async () => {
    published(first)
    await commit()
    await quickRun(root, { count: 12, now: NOON + HOUR / 2 })
    expect(await commit()).toEqual({ subject: null, changed: 0 })
    expect(subjects()).toEqual(['Begin'])
  })

  it('shows a new listing as one small hunk, and names the news in the subject', async () => {
    published(first)
    await commit()
    published(second)
    await commit()
    expect(subjects()).toEqual([expect.stringMatching(/^\+1 listing/), 'Begin'])
    const lines = diffOf('snapshots', 'listings')
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.length).toBeLessThan(30)
    expect(new Set(lines.map((line) => line.slice(1).split('\t')[0])).size).toBe(1)
    expect(diffOf('snapshots', 'events')).toEqual([expect.stringMatching(/^\+.*\tlisted\t/)])
  })

  deepIt('fetches the tip alone, however long the branch is', async () => {
    git('config', 'uploadpack.allowFilter', 'true')
    published(first)
    await commit()
    published(second)
    await commit()
    // What only the past holds is gone at the remote: a fetch that wanted it would fail.
    const parent = git('rev-parse', 'snapshots~1')
    rmSync(join(remote, 'objects', parent.slice(0, 2), parent.slice(2)))
    await quickRun(root, { count: 14, now: NOON + 2 * HOUR })
    expect((await commit()).changed).toBeGreaterThan(0)
  })

  it('leaves a branch alone that another run moved meanwhile, and says what to do', async () => {
    published(first)
    await commit()
    published(second)
    writeFileSync(join(remote, 'hooks', 'pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    await expect(commit()).rejects.toThrow(/unchanged\. Run npm run publish again/)
    expect(subjects()).toEqual(['Begin'])
    rmSync(join(remote, 'hooks', 'pre-receive'))
    await expect(commit()).resolves.toMatchObject({ subject: expect.stringContaining('listing') })
  })

  it('reports a missing remote, and never reads its name as an option', async () => {
    published(first)
    const trap = join(newFolder(), 'trap')
    const hostile = { remote: `--upload-pack=touch ${trap}`, branch: 'snapshots' }
    await expect(commitData(root, hostile, 'S <s@s.example>', env)).rejects.toThrow(DeliveryError)
    expect(existsSync(trap)).toBe(false)
    rmSync(remote, { recursive: true })
    await expect(commit()).rejects.toThrow(DeliveryError)
    const { code, stderr } = await run('publish', ['--tree', root, '--to', `git+${remote}`])
    expect([code, stderr.trimEnd().split('\n')]).toEqual([3, [expect.stringMatching(/^git ls-remote: fatal: /)]])
  })

  it('refuses a folder without a tree, and one with damaged tables of rows', async () => {
    await expect(commit()).rejects.toThrow(/Run npm run snapshot/)
    published(first)
    const [part = ''] = readdirSync(join(root, 'state')).filter((name) => name.startsWith('listings-'))
    writeFileSync(join(root, 'state', part), 'damaged')
    await expect(commit()).rejects.toThrow(`state/${part} is missing or damaged`)
  })
})
