import { afterAll, beforeAll, expect, it } from 'vitest'
import { SILENCE_MS, alarm, keepSchedule, siteTroubles, troubles } from '../../src/delivery/alarm.ts'
import { DeliveryError } from '../../src/delivery/delivery-error.ts'
import { NOON } from '../sample-tree.ts'
import { githubIssues } from './github-issues.ts'

let fake: Awaited<ReturnType<typeof githubIssues>>
beforeAll(async () => {
  fake = await githubIssues()
})
afterAll(() => fake.close())
const at = (token = 'job-token') => ({ api: fake.url, repository: 'someone/data', token, ask: fetch })
const source = (source_id: string, hours: number | null) => ({
  source_id,
  failing_since: hours === null ? null : new Date(NOON - hours * 3_600_000).toISOString().replace('.000', ''),
  error: hours === null ? null : ({ code: 'source_timeout', message: '' } as const),
})

it('ignores a source that is silent for less than a day', () => {
  expect(SILENCE_MS).toBe(86_400_000)
  const sources = [source('kraken', 23.9), source('okx', null)]
  expect(troubles({ sources, refusal: null, failedJobs: [] }, NOON)).toEqual([])
})

it('names who is silent for a day, and why a run was refused', () => {
  const refusal = 'too | few <listings>'
  expect(troubles({ sources: [source('kraken', 24)], refusal, failedJobs: ['pages'] }, NOON)).toEqual([
    String.raw`The last run published nothing: too \| few \<listings\>`,
    'The job pages failed, so the previous snapshot is still online.',
    String.raw`kraken has not answered successfully since 2026-11-19T12:00:00Z (source\_timeout)`,
  ])
})

it('says that a snapshot is not in the archive or has no tables, which stops no deployment', () => {
  expect(troubles({ sources: [], refusal: null, failedJobs: ['archive', 'tables'] }, NOON)).toEqual([
    'The snapshot could not be added to the archive. Later ones are added by themselves.',
    'The tables could not be written. The site has none until a later run writes them.',
  ])
})

it('opens one issue, changes it, and closes it on recovery', async () => {
  expect(await alarm(at(), 'run', [])).toBe('nothing')
  expect(await alarm(at(), 'run', ['a'])).toBe('opened')
  expect(await alarm(at(), 'run', ['a'])).toBe('nothing')
  expect(await alarm(at(), 'run', ['a', 'b'])).toBe('changed')
  expect(fake.issues).toMatchObject([{ state: 'open', body: '- a\n- b' }])
  expect(await alarm(at(), 'run', [])).toBe('closed')
  expect(fake.issues).toMatchObject([{ state: 'closed', comments: [expect.stringContaining('published')] }])
  expect(await alarm(at(), 'run', ['c'])).toBe('opened')
  expect(fake.issues).toHaveLength(2)
})

it('keeps an issue of its own for the site, which the next good run does not close', async () => {
  expect(await alarm(at(), 'site', ['stale'])).toBe('opened')
  await alarm(at(), 'run', [])
  expect(fake.issues.at(-1)).toMatchObject({ state: 'open', title: 'The published site is stale' })
  expect(await alarm(at(), 'site', [])).toBe('closed')
})

it('reports a site that is stale or does not answer, and no other', () => {
  const index = JSON.stringify({ generatedAt: '2026-11-20T10:00:00Z', staleAfter: '2026-11-20T11:30:00Z' })
  expect(siteTroubles('https://a.example', index, Date.UTC(2026, 10, 20, 11, 30))).toEqual([])
  expect(siteTroubles('https://a.example', index, NOON)).toEqual([
    expect.stringMatching(/shows the snapshot of 2026-11-20T10:00:00Z, which is stale since 2026-11-20T11:30:00Z\.$/),
  ])
  expect(siteTroubles('https://a.example', '<html>', NOON)).toEqual([expect.stringMatching(/does not answer/)])
  expect(siteTroubles('https://a.example', null, NOON)).toHaveLength(1)
})

it('keeps the schedule switched on', async () => {
  await keepSchedule(at(), 'snapshot.yml')
  expect(fake.asked.at(-1)).toBe('PUT actions/workflows/snapshot.yml/enable')
})

it('says what is wrong with its token, without the token', async () => {
  const failure = await alarm(at('other-token'), 'run', ['a']).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DeliveryError)
  expect(String(failure)).toMatch(/401.*permissions/)
  expect(String(failure)).not.toContain('other-token')
})
