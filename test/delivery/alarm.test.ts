import { afterAll, beforeAll, expect, it } from 'vitest'
import { alarm, keepSchedule } from '../../src/delivery/alarm.ts'
import { driftProblems } from '../../src/delivery/problems.ts'
import { DeliveryError } from '../../src/delivery/delivery-error.ts'
import { githubIssues } from './github-issues.ts'

let fake: Awaited<ReturnType<typeof githubIssues>>
beforeAll(async () => {
  fake = await githubIssues()
})
afterAll(() => fake.close())
const at = (token = 'job-token') => ({ api: fake.url, repository: 'someone/data', token, ask: fetch })
const problem = (text: string) => ({ key: text, text })

it('opens one issue, changes it, and closes it on recovery', async () => {
  expect(await alarm(at(), 'run', [])).toBe('nothing')
  expect(await alarm(at(), 'run', [problem('a')])).toBe('opened')
  expect(await alarm(at(), 'run', [problem('a')])).toBe('nothing')
  expect(await alarm(at(), 'run', [problem('a'), problem('b')])).toBe('changed')
  expect(fake.issues).toMatchObject([{ state: 'open', body: '- a\n- b' }])
  expect(await alarm(at(), 'run', [])).toBe('closed')
  expect(fake.issues).toMatchObject([{ state: 'closed', comments: [expect.stringContaining('published')] }])
  expect(await alarm(at(), 'run', [problem('too | few <listings>')])).toBe('opened')
  expect(fake.issues.at(-1)).toMatchObject({ body: String.raw`- too \| few \<listings\>` })
  expect(fake.issues).toHaveLength(2)
})

it('keeps issues of their own for the site and the sources, which the next good run does not close', async () => {
  expect(await alarm(at(), 'site', [problem('stale')])).toBe('opened')
  await alarm(at(), 'run', [])
  expect(fake.issues.at(-1)).toMatchObject({ state: 'open', title: 'The published site is stale' })
  expect(
    await alarm(
      at(),
      'sources',
      driftProblems({ sources: [{ source_id: 'acme', drift: ['0 % of the rows have bid'] }] }),
    ),
  ).toBe('opened')
  expect(fake.issues.at(-1)).toMatchObject({ body: '- acme: 0 % of the rows have bid' })
  expect(await alarm(at(), 'sources', driftProblems({ sources: [{ source_id: 'acme', drift: [] }] }))).toBe('closed')
  expect(await alarm(at(), 'site', [])).toBe('closed')
})

it('keeps the schedule switched on', async () => {
  await keepSchedule(at(), 'snapshot.yml')
  expect(fake.asked.at(-1)).toBe('PUT actions/workflows/snapshot.yml/enable')
})

it('says what is wrong with its token, without the token', async () => {
  const failure = await alarm(at('other-token'), 'run', [problem('a')]).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DeliveryError)
  expect(String(failure)).toMatch(/401.*permissions/)
  expect(String(failure)).not.toContain('other-token')
})
