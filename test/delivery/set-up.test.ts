import { expect, it } from 'vitest'
import { keepSchedule } from '../../src/delivery/alarm.ts'
import { needsMarkdown, setUp } from '../../src/delivery/set-up.ts'

/** A repository of GitHub, in as much as a feed needs it. */
function repository({ pages = false, mayEnablePages = false } = {}) {
  const state = { pages, labels: new Set<string>(), enabled: true, activeAt: 0, now: 0, calls: 0 }
  const answer = (method: string, path: string, body: { name?: string }): readonly [number, unknown] => {
    state.calls++
    if (path === 'pages' && method === 'GET') return state.pages ? [200, { build_type: 'workflow' }] : [404, {}]
    if (path === 'pages' && mayEnablePages) return [201, ((state.pages = true), {})]
    if (path === 'pages') return [403, {}]
    if (path.startsWith('labels?')) return [200, [...state.labels].map((name) => ({ name }))]
    if (path === 'labels') return [201, (state.labels.add(body.name ?? ''), {})]
    if (path.endsWith('/enable')) return [204, ((state.activeAt = state.now), (state.enabled = true), null)]
    return [404, {}]
  }
  const ask: typeof fetch = async (input, init) => {
    const path = new Request(input).url.replace('https://api.example/repos/someone/feed/', '')
    const body: { name?: string } = typeof init?.body === 'string' ? JSON.parse(init.body) : {}
    const [status, value] = answer(init?.method ?? 'GET', path, body)
    return new Response(value === null ? null : JSON.stringify(value), { status })
  }
  const at = { api: 'https://api.example', repository: 'someone/feed', token: 'x', ask }
  return { state, at }
}

const SITE = 'https://github.com/someone/feed'

it('makes labels, and names the one switch with its link where a token may not press it', async () => {
  const { at, state } = repository()
  const needs = await setUp(at, SITE)
  expect([...state.labels].toSorted()).toEqual(['site-alarm', 'snapshot-alarm'])
  expect(needsMarkdown(needs)).toContain('[Open the settings](https://github.com/someone/feed/settings/pages)')
})

it('switches Pages on where it may, and says nothing when all is there', async () => {
  const { at } = repository({ mayEnablePages: true })
  expect((await setUp(at, SITE)).map(({ state }) => state)).toEqual(['made', 'made', 'made'])
  const again = await setUp(at, SITE)
  expect(again.map(({ state }) => state)).toEqual(['there', 'there', 'there'])
  expect(needsMarkdown(again)).toBe('')
})

const DAY_MS = 86_400_000
const IDLE_DAYS = 60

it.each([
  [30, 90],
  [60, 90],
  [1440, 90],
])('keeps a schedule of %i minutes alive for %i days in which nobody pushes', async (minutes, days) => {
  const { at, state } = repository({ pages: true })
  let runs = 0
  for (state.now = 0; state.now < days * DAY_MS; state.now += minutes * 60_000) {
    // https://docs.github.com/actions/managing-workflow-runs/disabling-and-enabling-a-workflow
    if (state.now - state.activeAt >= IDLE_DAYS * DAY_MS) state.enabled = false
    if (!state.enabled) break
    await keepSchedule(at, 'snapshot.yml')
    runs++
  }
  expect(runs).toBe((days * 1440) / minutes)
  // 1,000 requests an hour for the token of a job.
  expect(state.calls / (days * 24)).toBeLessThan(1000)
})
