import { expect, it } from 'vitest'
import { Report, SILENCE_MS, ageProblems, runProblems, stepProblems } from '../../src/delivery/problems.ts'
import { NOON } from '../sample-tree.ts'

const published = { outcome: 'published' }
const keysOf = (report: unknown, refused = '') =>
  runProblems(report === null ? null : Report.parse(report), { now: NOON, refused, limits: [] }).map(({ key }) => key)
const source = (source_id: string, hours: number | null) => ({
  source_id,
  failing_since: hours === null ? null : new Date(NOON - hours * 3_600_000).toISOString().replace('.000', ''),
  error: hours === null ? null : { code: 'source_timeout', message: '' },
})

it('are none of a run that published, also while a source is silent for less than a day', () => {
  expect(SILENCE_MS).toBe(86_400_000)
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
  [{ outcome: 'failed', error: 'the disk is full' }, '', 'the disk is full'],
  [{ outcome: 'no_usable_source' }, '', 'no source returned usable data'],
  [null, 'Nothing was restored', 'Nothing was restored'],
  [null, '', 'it wrote no report that can be read'],
])('say why nothing was published: %j %s', (report, refused, why) => {
  const found = runProblems(report === null ? null : Report.parse(report), { now: NOON, refused, limits: [] })
  expect(found.map(({ text }) => text)).toEqual([`The last run published nothing: ${why}`])
})

it('name a step, its run and its first lines, and say whether it stopped the publication', () => {
  const steps = [
    { step: 'archive', said: '\nerror: refused\n\n 2\n3\n4\n5\n6\n' },
    { step: 'pages', said: '' },
  ]
  expect(stepProblems(steps, 'https://host.example/runs/7')).toEqual([
    {
      key: 'step:archive',
      text:
        'The step archive failed in https://host.example/runs/7. The snapshot could not be added to the archive. Later ' +
        'ones are added by themselves. It said: error: refused / 2 / 3 / 4 / 5',
    },
    {
      key: 'step:pages',
      text: expect.stringMatching(/is still online\. If there is none, choose "GitHub Actions"/),
    },
  ])
})

it('have one key for a limit of the host, whatever the figures', () => {
  const limitAt = (files: number) =>
    runProblems(Report.parse(published), { now: NOON, refused: '', limits: [`Files in the tree: ${files} of 20`] })
  expect(limitAt(17)).toEqual([{ key: 'limit:Files in the tree', text: 'Files in the tree: 17 of 20' }])
  expect(limitAt(18)[0]?.key).toBe('limit:Files in the tree')
})

it('tell of a publication that is overdue or cannot be read, and of no other', () => {
  const index = JSON.stringify({ generatedAt: '2026-11-20T10:00:00Z', staleAfter: '2026-11-20T11:30:00Z' })
  const at = (minutes: number) => ({ now: Date.UTC(2026, 10, 20, 11, 30 + minutes), overdueMinutes: 60 })
  expect(ageProblems('https://a.example', index, at(60))).toEqual([])
  expect(ageProblems('https://a.example', index, at(61))).toEqual([
    {
      key: 'overdue',
      text: expect.stringMatching(/^https:\/\/a\.example: .*2026-11-20T10:00:00Z.* 60 minutes allowed\.$/),
    },
  ])
  // An error page of a CDN instead of the index is a problem too.
  expect(ageProblems('https://a.example', '<html>', at(0))).toHaveLength(1)
  expect(ageProblems('https://a.example', null, at(0))).toHaveLength(1)
})
