import { afterAll, beforeAll, expect, it } from 'vitest'
import { SILENCE_MS, alarm, keepSchedule, troubles } from '../../src/delivery/alarm.ts'
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

it('troubles nobody with a source that is silent for less than a day', () => {
  expect(SILENCE_MS).toBe(86_400_000)
  expect(troubles([source('kraken', 23.9), source('okx', null)], null, NOON)).toEqual([])
})

it('names who is silent for a day, and why a run was refused', () => {
  expect(troubles([source('kraken', 24)], 'too | few <listings>', NOON)).toEqual([
    String.raw`The last run was refused: too \| few \<listings\>`,
    String.raw`kraken gives no usable answer since 2026-11-19T12:00:00Z (source\_timeout)`,
  ])
})

it('opens one issue, changes it, and closes it on recovery', async () => {
  expect(await alarm(at(), [])).toBe('nothing')
  expect(await alarm(at(), ['a'])).toBe('opened')
  expect(await alarm(at(), ['a'])).toBe('nothing')
  expect(await alarm(at(), ['a', 'b'])).toBe('changed')
  expect(fake.issues).toMatchObject([{ state: 'open', body: '- a\n- b' }])
  expect(await alarm(at(), [])).toBe('closed')
  expect(fake.issues).toMatchObject([{ state: 'closed', comments: [expect.stringContaining('published')] }])
  expect(await alarm(at(), ['c'])).toBe('opened')
  expect(fake.issues).toHaveLength(2)
})

it('keeps the schedule switched on', async () => {
  await keepSchedule(at(), 'snapshot.yml')
  expect(fake.asked.at(-1)).toBe('PUT actions/workflows/snapshot.yml/enable')
})

it('says what is wrong with its token, without the token', async () => {
  const failure = await alarm(at('other-token'), ['a']).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DeliveryError)
  expect(String(failure)).toMatch(/401.*permissions/)
  expect(String(failure)).not.toContain('other-token')
})
