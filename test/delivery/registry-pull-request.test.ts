import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { DeliveryError } from '../../src/delivery/delivery-error.ts'
import { pullRequestCommands, pullRequestRegistry } from '../../src/delivery/registry-pull-request.ts'
import { QueueError } from '../../src/queue/queue.ts'
import { approve } from '../../src/review/approve.ts'
import { publishedSlugs } from '../../src/review/published-slugs.ts'
import { newFolder } from '../sample-tree.ts'
import { AT, memoryQueue, recordOf } from '../service/world.ts'
import { githubContents } from './github-contents.ts'

let fake: Awaited<ReturnType<typeof githubContents>>
beforeAll(async () => {
  fake = await githubContents()
})
afterAll(() => fake.close())
beforeEach(() => {
  fake.pulls.length = 0
  for (const name of fake.branches.keys()) if (name !== 'trunk') fake.branches.delete(name)
})

/** A queue with a request for Grove Coin, and its approval as a pull request. */
async function room(token = 'job-token') {
  const queue = memoryQueue()
  await queue.add(recordOf('request-1', 'Grove Coin'))
  const published = publishedSlugs((file) => (file === 'api/mkt/markets.json' ? '{"rows":[]}' : null))
  if (!published) throw new Error('an empty list is one')
  const opened: string[] = []
  const registry = pullRequestRegistry({
    at: { api: fake.url, repository: 'someone/data', token, ask: fetch },
    folder: 'src/registry/assets',
    entries: () => [],
    onOpened: (address) => void opened.push(address),
  })
  const edge = { queue, registry, published, now: Date.parse(AT), show: () => {}, confirm: async () => true }
  return { queue, opened, edge, accept: () => approve('request-1', { isVerified: false }, edge) }
}

it('opens a pull request with the file of an approved asset', async () => {
  const { accept, opened } = await room()
  expect(await accept()).toMatchObject({ status: 'approved', listing: 'grove-coin' })
  expect(opened).toEqual(['https://github.example/someone/data/pull/1'])
  expect(fake.pulls).toMatchObject([{ head: 'list-grove-coin', title: 'List grove-coin' }])
  const text = fake.branches.get('list-grove-coin')?.get('src/registry/assets/grove-coin.json') ?? ''
  expect(JSON.parse(text)).toMatchObject({ slug: 'grove-coin', verification_status: 'unverified' })
})

it('takes the branch back if another reviewer decided the request first', async () => {
  const { edge } = await room()
  const late = { ...edge, queue: { ...edge.queue, update: async () => null } }
  await expect(approve('request-1', { isVerified: false }, late)).rejects.toThrow(/no longer exists/)
  expect([...fake.branches.keys()]).toEqual(['trunk'])
})

it('keeps the branch where the queue did not answer, because the decision may be stored', async () => {
  const { edge } = await room()
  const away = { ...edge, queue: { ...edge.queue, update: () => Promise.reject(new QueueError('no answer')) } }
  await expect(approve('request-1', { isVerified: false }, away)).rejects.toThrow(QueueError)
  expect([...fake.branches.keys()]).toEqual(['trunk', 'list-grove-coin'])
})

it('decides nothing where GitHub refuses', async () => {
  const { accept, queue } = await room('another')
  await expect(accept()).rejects.toThrow(DeliveryError)
  expect(queue.records.get('request-1')?.status).toBe('pending')
  // A pull request of that name is open.
  const open = await room()
  await open.accept()
  await expect((await room()).accept()).rejects.toThrow('POST git/refs failed with status 422')
})

it('prints commands that open it without a token', () => {
  const place = newFolder()
  const [copy, remote, bin] = [join(place, 'copy'), join(place, 'remote.git'), join(place, 'bin')]
  const sh = (command: string) =>
    execFileSync('bash', ['-e', '-c', command], {
      cwd: copy,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${bin}:${process.env['PATH']}`,
        HOME: place,
        GIT_CONFIG_COUNT: '2',
        GIT_CONFIG_KEY_0: 'user.name',
        GIT_CONFIG_VALUE_0: 't',
        GIT_CONFIG_KEY_1: 'user.email',
        GIT_CONFIG_VALUE_1: 't@example.org',
      },
    }).trim()
  for (const folder of [join(copy, 'registry'), bin]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\necho "$*" > ${place}/gh.txt\n`, { mode: 0o755 })
  sh(`git init --quiet --bare ${remote}; git init --quiet; git remote add origin ${remote}`)
  sh('git commit --quiet --allow-empty --message Begin')
  writeFileSync(join(copy, 'registry/grove-coin.json'), '{}\n')
  sh(pullRequestCommands('grove-coin', 'registry/grove-coin.json').join('\n'))
  expect(sh(`git -C ${remote} log --format=%s list-grove-coin`)).toBe('List grove-coin\nBegin')
  expect(sh(`git -C ${remote} show list-grove-coin:registry/grove-coin.json`)).toBe('{}')
  expect(readFileSync(join(place, 'gh.txt'), 'utf8')).toBe('pr create --fill --head list-grove-coin\n')
})
