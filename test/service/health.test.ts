import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LastRun } from '../../src/core/contract/last-run.ts'
import { METRICS_FILE, metricsText } from '../../src/core/contract/metrics.ts'
import { type Operation, healthAnswer, publicationHealth, metricsAnswer } from '../../src/service/health.ts'
import { LAYOUT } from '../../src/core/tree/layout.ts'
import { NOON, copyLeanTree, leanRun, newFolder } from '../sample-tree.ts'

const MINUTE = 60_000
const index = JSON.stringify({ generatedAt: '2026-11-20T10:30:00Z', staleAfter: '2026-11-20T12:00:00Z' })

const operation = (files: Readonly<Record<string, string>>, given: Partial<Operation> = {}): Operation => ({
  read: async (file) => files[file] ?? null,
  now: () => NOON,
  ...given,
})
const stateAt = async (ms: number) => {
  const files = { [LAYOUT.index]: index }
  const answer = await healthAnswer(operation(files, { now: () => ms }))
  return [answer.status, publicationHealth(index, ms).status]
}

describe('the health of a server', () => {
  it('is good until the snapshot has been stale for an hour', async () => {
    expect(await stateAt(NOON)).toEqual([200, 'current'])
    expect(await stateAt(NOON + MINUTE)).toEqual([200, 'stale'])
    expect(await stateAt(NOON + 60 * MINUTE)).toEqual([200, 'stale'])
    expect(await stateAt(NOON + 61 * MINUTE)).toEqual([503, 'overdue'])
    expect(await stateAt(NOON + 4 * 365 * 1440 * MINUTE)).toEqual([503, 'overdue'])
  })

  it('says why it is not good, and is never cached', async () => {
    const late = await healthAnswer(operation({ [LAYOUT.index]: index }, { now: () => NOON + 90 * MINUTE }))
    expect(late.headers.get('cache-control')).toBe('no-store')
    expect(await late.json()).toEqual({
      ok: false,
      status: 'overdue',
      message:
        'The snapshot of 2026-11-20T10:30:00Z is stale since 2026-11-20T12:00:00Z, longer than the 60 minutes allowed.',
      generatedAt: '2026-11-20T10:30:00Z',
      staleAfter: '2026-11-20T12:00:00Z',
      ageSeconds: 180 * 60,
    })
  })

  it.each([[{}], [{ [LAYOUT.index]: '{"ok"' }]])(
    'is not good without a snapshot that can be read: %j',
    async (files) => {
      const none = await healthAnswer(operation(files))
      expect([none.status, await none.json()]).toMatchObject([503, { status: 'nothing_published' }])
    },
  )
})

/** What promtool says of metrics; an empty text where it finds nothing. */
function complaints(text: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}` || `status ${status}`
}

describe('metrics', () => {
  const run: LastRun = {
    at: '2026-11-20T11:59:00Z',
    outcome: 'refused',
    seconds: 12.5,
    unpublished: Array.from({ length: 3 }, () => ({ at: '2026-11-20T11:59:00Z', outcome: 'refused' as const })),
    findings: [{ rule: 'median_move', refused: true }],
  }

  it('escape labels as the format demands', () => {
    const samples = [{ labels: { source: 'a"b\\c\nd' }, value: 1 }]
    expect(metricsText([{ name: 'x', help: 'X.', samples }])).toBe(
      '# HELP quotetree_x X.\n# TYPE quotetree_x gauge\nquotetree_x{source="a\\"b\\\\c\\nd"} 1\n',
    )
    expect(metricsText([{ name: 'x', help: 'X.', samples: [] }])).toBe('')
  })

  it('of a server have those of the tree, its age, and the runs that published nothing', async () => {
    const files = { [LAYOUT.index]: index, [METRICS_FILE]: '# TYPE quotetree_listings gauge\nquotetree_listings 7\n' }
    const answer = await metricsAnswer(operation(files, { lastRun: () => run, now: () => NOON + 90 * MINUTE }))
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    for (const line of [
      'quotetree_listings 7',
      'quotetree_up 0',
      'quotetree_snapshot_age_seconds 10800',
      'quotetree_last_run_duration_seconds 12.5',
      'quotetree_last_run_published 0',
      'quotetree_runs_unpublished 3',
      'quotetree_gate_finding{rule="median_move"} 1',
    ])
      expect(text.split('\n')).toContain(line)
  })

  it('of a tree are a file that a run without changes does not rewrite', async () => {
    const root = newFolder()
    await copyLeanTree(root)
    const read = () => readFileSync(join(root, METRICS_FILE), 'utf8')
    const before = read()
    expect(before).toMatch(/^quotetree_listings [1-9]\d*$/m)
    expect(before).toMatch(/^quotetree_source_up\{source="[a-z]+"\} 1$/m)
    await leanRun(root)
    expect(read()).toBe(before)
  })

  it.skipIf(!existsSync('/usr/bin/promtool'))('pass promtool', async () => {
    const root = newFolder()
    await copyLeanTree(root)
    const read = async (file: string) => readFileSync(join(root, file), 'utf8')
    const text = await (await metricsAnswer(operation({}, { read, lastRun: () => run }))).text()
    expect(complaints(text)).toBe('')
    expect(complaints(text.replace('# HELP quotetree_listings ', '# HELP other '))).not.toBe('')
  })
})
