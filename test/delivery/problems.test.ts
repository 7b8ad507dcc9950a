import { expect, it } from 'vitest'
import { ProblemReport, ageProblems, messageOf, runProblems } from '../../src/delivery/problems.ts'
import { NOON } from '../sample-tree.ts'

const published = { outcome: 'published' }
const keysOf = (report: unknown) => runProblems(ProblemReport.parse(report), NOON, []).map(({ key }) => key)
const source = (source_id: string, hours: number | null) => ({
  source_id,
  failing_since: hours === null ? null : new Date(NOON - hours * 3_600_000).toISOString().replace('.000', ''),
  error: hours === null ? null : { code: 'source_timeout', message: '' },
})

it('are none of a run that published, also while a source is silent for less than a day', () => {
  expect(keysOf({ ...published, health: [source('kraken', 23.9), source('okx', null)] })).toEqual([])
  expect(keysOf({ ...published, health: [source('kraken', 24), source('okx', null)] })).toEqual(['source:kraken'])
})

it('have one key while their figures change', () => {
  const refusal = (percent: number) => ({
    outcome: 'refused',
    refusals: [{ rule: 'median_move', message: `prices moved by ${percent} %` }],
  })
  expect(keysOf(refusal(31))).toEqual(['refused:median_move'])
  expect(keysOf(refusal(32))).toEqual(keysOf(refusal(31)))
})

it.each([
  [{ outcome: 'failed', error: 'the disk is full' }, 'the disk is full'],
  [{ outcome: 'no_usable_source' }, 'no source returned usable data'],
  [null, 'it wrote no report that can be read'],
])('say why nothing was published: %j', (report, why) => {
  const found = runProblems(report === null ? null : ProblemReport.parse(report), NOON, [])
  expect(found.map(({ text }) => text)).toEqual([`The last run published nothing: ${why}`])
})

it('have one key for a limit of the host, whatever the figures', () => {
  const limitAt = (files: number) =>
    runProblems(ProblemReport.parse(published), NOON, [`Files in the tree: ${files} of 20`])
  expect(limitAt(17)).toEqual([{ key: 'limit:Files in the tree', text: 'Files in the tree: 17 of 20' }])
  expect(limitAt(18)[0]?.key).toBe('limit:Files in the tree')
})

it('tell of a publication that is overdue or cannot be read, and of no other', () => {
  const index = JSON.stringify({ generatedAt: '2026-11-20T10:00:00Z', staleAfter: '2026-11-20T11:30:00Z' })
  const aged = (text: string | null, minutes: number) =>
    ageProblems('https://a.example', text, Date.UTC(2026, 10, 20, 11, 30 + minutes))
  expect(aged(index, 60)).toEqual([])
  expect(aged(index, 61)).toEqual([
    {
      key: 'overdue',
      text: expect.stringMatching(/^https:\/\/a\.example: .*2026-11-20T10:00:00Z.* 60 minutes allowed\.$/),
    },
  ])
  // An error page of a CDN instead of the index is a problem too.
  expect(aged('<html>', 0)).toHaveLength(1)
  expect(aged(null, 0)).toHaveLength(1)
})

it('are told when they begin, change and end', () => {
  const problem = (key: string) => ({ key, text: `${key} is wrong` })
  expect(messageOf([], [], 'Grove')).toBeNull()
  expect(messageOf([problem('a')], [], 'Grove')).toBe('Grove:\n- a is wrong')
  expect(messageOf([{ key: 'a', text: 'a is more wrong' }], ['a'], 'Grove')).toBeNull()
  expect(messageOf([problem('a'), problem('b')], ['a'], 'Grove')).toContain('b is wrong')
  expect(messageOf([], ['a'], 'Grove')).toBe('Grove: the problems have ended.')
})
