import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { atom, jsonFeed } from '../../src/changes/feeds.ts'
import type { Facts } from '../../src/changes/events.ts'
import { KEPT, record } from '../../src/changes/record.ts'
import { print } from '../../src/contract/text.ts'
import type { ChangeEvent } from '../../src/contract/changes.ts'
import { openRegistry } from '../../src/registry/registry.ts'
import { SAMPLE_SPELLINGS } from '../../src/sources/sample/sample.ts'
import { entryOf } from '../feed/world.ts'
import { NOON, NO_REQUESTS, newFolder, sampleRun, copySampleTree } from '../sample-tree.ts'

const listed = (...slugs: readonly string[]): Facts => ({
  listings: new Map(
    slugs.map((slug) => [
      slug,
      { symbol: slug, name: slug, verification_status: 'verified', contracts: [], source_label: 'CoinGecko', held: [] },
    ]),
  ),
  successor: () => null,
  sources: [],
  methodology: null,
  requests: [],
})

/** Publications one after the other, each extending what the last one wrote. */
function publishing() {
  const files = new Map<string, string>()
  let facts: Facts | null = null
  return (now: Facts, at: string) => {
    const changes = record({ facts, files: [...files.keys()], read: (file) => files.get(file) ?? null }, now, at)
    facts = now
    for (const file of files.keys()) if (!changes.days.some((day) => file.endsWith(`/${day}.json`))) files.delete(file)
    for (const day of changes.days) {
      if (!changes.isChanged(day)) continue
      const rows = changes.rowsOf(day)
      files.set(`api/mkt/changes/${day}.json`, print({ ok: true, day, count: rows.length, rows }))
    }
    return changes
  }
}

it('has no events for the first publication, or for one without news', () => {
  const publish = publishing()
  expect(publish(listed('a', 'b'), '2026-11-20T12:00:00Z')).toMatchObject({ days: [], latest: [] })
  expect(publish(listed('a', 'b'), '2026-11-20T12:30:00Z')).toMatchObject({ days: [], latest: [] })
})

it('collects a day, newest first, and then starts the next', () => {
  const publish = publishing()
  publish(listed('a'), '2026-11-20T12:00:00Z')
  publish(listed('a', 'b'), '2026-11-20T23:30:00Z')
  publish(listed('a', 'b', 'c'), '2026-11-20T23:59:59Z')
  const changes = publish(listed('b', 'c'), '2026-11-21T00:00:00Z')
  expect(changes.days).toEqual(['2026-11-21', '2026-11-20'])
  expect(changes.latest.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
    'delisted a',
    'listed c',
    'listed b',
  ])
  expect(changes.isChanged('2026-11-20')).toBe(false)
  expect(changes.isChanged('2026-11-21')).toBe(true)
})

it('is bounded, however many events there are', () => {
  const publish = publishing()
  publish(listed('a'), '2026-01-01T00:00:00Z')
  let days: readonly string[] = []
  for (let day = 0; day < 100; day++) {
    const at = new Date(Date.UTC(2026, 0, 2 + day)).toISOString().slice(0, 19)
    const changes = publish(
      listed('a', ...Array.from({ length: day % 2 ? 3000 : 1 }, (_, i) => `x-${day}-${i}`)),
      `${at}Z`,
    )
    expect(changes.latest.length).toBeLessThanOrEqual(KEPT.latest)
    expect(changes.rowsOf(at.slice(0, 10))?.length).toBeLessThanOrEqual(KEPT.perDay)
    days = changes.days
  }
  expect(days).toHaveLength(KEPT.days)
})

it('continues despite a damaged day', () => {
  const last = { facts: listed('a'), files: ['api/mkt/changes/2026-11-20.json'], read: () => '{"rows":[' }
  const changes = record(last, listed('a', 'b'), '2026-11-20T12:00:00Z')
  expect(changes.latest.map(({ subject }) => subject)).toEqual(['b'])
})

describe('in the tree', () => {
  const root = newFolder()
  const jsonOf = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const registry = openRegistry({
    label: 'sample registry',
    spelledAs: SAMPLE_SPELLINGS,
    assets: [...openRegistry().assets, entryOf('grove')],
  })
  beforeAll(async () => {
    await copySampleTree(root)
  })

  it('holds the events, and a run without news leaves it unchanged', async () => {
    const { published } = await sampleRun(root, { now: NOON + 60_000, registry })
    expect(published?.written).toEqual(
      expect.arrayContaining(['api/mkt/changes.json', 'api/mkt/changes/2026-11-20.json', 'feed.xml', 'feed.json']),
    )
    expect(jsonOf('api/mkt/changes.json')).toMatchObject({
      days: ['2026-11-20'],
      rows: [{ kind: 'listed', subject: 'grove', at: '2026-11-20T12:01:00Z' }],
    })
    expect(jsonOf('api/mkt.json')).toMatchObject({ links: { changes: '/api/mkt/changes' } })
    // With more requests it would have more of the past.
    const history = { perRun: 11, perSource: 11 }
    const again = await sampleRun(root, { now: NOON + 120_000, registry, history })
    expect(again.published?.written.toSorted()).toEqual(['api/mkt.json', 'api/mkt/collector.json', 'api/mkt/head.json'])
  })

  it('chains the manifests', async () => {
    const before = readFileSync(join(root, 'api/mkt/manifest.json'), 'utf8')
    await sampleRun(root, { now: NOON + 3_600_000, registry, commit: 'abc', history: NO_REQUESTS })
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(before))).toString('hex')
    expect(jsonOf('api/mkt/manifest.json')).toMatchObject({ previous: digest, commit: 'abc' })
  })
})

describe('as a feed', () => {
  const hostile: ChangeEvent = {
    at: '2026-11-20T12:00:00Z',
    kind: 'listed',
    subject: 'evil',
    name: '<script>alert(1)</script> & "x"',
    before: null,
    after: null,
  }

  it('escapes what names hold', () => {
    const text = atom('Title', [hostile])
    expect(text).not.toContain('<script>')
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot; (evil) is listed')
    expect(JSON.parse(jsonFeed('Title', [hostile]))).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      items: [{ title: '<script>alert(1)</script> & "x" (evil) is listed', url: 'token/?id=evil' }],
    })
  })

  it('leads to the market or the status where an event is about no listing', () => {
    const text = atom('Title', [
      { ...hostile, kind: 'gap', subject: 'runs' },
      { ...hostile, kind: 'market_moved', subject: 'market' },
    ])
    expect([...text.matchAll(/<link href="(.*?)"/g)].map(([, link]) => link)).toEqual(['status/#runs', './'])
  })

  it('holds no character that XML cannot write', () => {
    const text = atom('Title', [{ ...hostile, name: 'a\ufffeb\uffffc\u0001d\ud800e' }])
    expect(text).toContain('a\ufffdb\ufffdc\ufffdd\ufffde (evil)')
  })

  it('is as old as its newest entry, so that a run without news leaves it', () => {
    expect(atom('Title', [hostile])).toContain('<updated>2026-11-20T12:00:00Z</updated>')
    expect(atom('Title', [])).toBe(atom('Title', []))
  })
})

it('takes the events of a lost day from the latest ones, and drops a day of which nothing is known', () => {
  const latest = [{ at: '2026-11-19T12:00:00Z', kind: 'listed', subject: 'a', name: 'A', before: null, after: null }]
  const files = new Map([['api/mkt/changes.json', print({ ok: true, count: 1, rows: latest })]])
  const days = ['api/mkt/changes/2026-11-18.json', 'api/mkt/changes/2026-11-19.json']
  const last = { facts: listed('a'), files: days, read: (file: string) => files.get(file) ?? null }
  const changes = record(last, listed('a'), '2026-11-20T12:00:00Z')
  expect(changes.days).toEqual(['2026-11-19'])
  expect(changes.rowsOf('2026-11-19')).toMatchObject([{ subject: 'a' }])
})
