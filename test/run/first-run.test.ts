import { expect, it } from 'vitest'
import { nextSteps, summary, summaryMarkdown } from '../../src/delivery/run-report.ts'
import { NOON, ONE_LIMITED_LIST, leanRun, newFolder, sampleRun } from '../sample-tree.ts'
import { deepIt } from '../scale.ts'

const HOUR = 3_600_000

it('requests more past prices in the first run than in those that follow, and says how many it will', async () => {
  const root = newFolder()
  const planned: number[] = []
  const made: number[] = []
  const history = { perRun: 4, perSource: 4, first: { perRun: 40, perSource: 40, seconds: 60 } }
  const runAt = (now: number) =>
    sampleRun(root, {
      count: 16,
      now,
      history,
      composition: ONE_LIMITED_LIST,
      tell: (event) => {
        if (event.kind === 'planned') planned.push(event.requests)
        if (event.kind === 'requested') made.push(event.requests)
      },
    })
  const first = await runAt(NOON)
  expect(first.isFirst).toBe(true)
  expect(first.historyRequests).toBeGreaterThan(4)
  expect(first.historyLeft).toBeGreaterThan(0)
  expect(made.reduce((sum, count) => sum + count, 0)).toBe(first.historyRequests)

  const second = await runAt(NOON + HOUR)
  expect(second.isFirst).toBe(false)
  expect(planned).toEqual([first.historyRequests, second.historyRequests])
  expect(second.historyRequests).toBeLessThanOrEqual(4)

  const third = await sampleRun(root, { count: 60, now: NOON + 2 * HOUR, history, composition: ONE_LIMITED_LIST })
  expect(summary(third)).toMatch(
    /^\d+ listings, \d+ new, \d+ priced; \d+ documents written \([a-z-]+ \d+, [a-z-]+ \d+/m,
  )
})

it('requests of each source only what its pace allows', async () => {
  const history = { perRun: 4, perSource: 4, first: { perRun: 40, perSource: 40, seconds: 0 } }
  expect((await leanRun(newFolder(), { history })).historyRequests).toBe(0)
})

deepIt('ends with how much of the history is there, and what to do next', async () => {
  const report = await sampleRun(newFolder(), {})
  const text = nextSteps({ ...report, historyLeft: 241 }, 'live', 120)
  expect(text).toContain(`${report.withHistory} of ${report.listings} listings have prices on at least half`)
  expect(text).toContain('About 3 more runs')
  expect(text).toContain('npm run serve -- --tree live')
  const repository = 'https://github.com/someone/feed'
  expect(summaryMarkdown(report, repository)).toContain(`(${repository}/settings/pages)`)
  expect(summaryMarkdown(report, null)).not.toContain('settings/pages')
  expect(summaryMarkdown({ ...report, isFirst: false }, repository)).not.toContain('settings/pages')
})
