import { describe, expect, it } from 'vitest'
import type { SourceRow } from '../../src/core/contract/collector.ts'
import { healthFrom, sourceRow } from '../../src/core/feed/health.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import type { SourceErrorCode } from '../../src/core/contract/words.ts'
import { AT, HOUR, NOW, TALLY, quoteOf, reportOf, sourceOf } from './world.ts'

type Type = SourceRow['source_type']
const answers = (id: string, type: Type = 'exchange') => sourceRow(reportOf(sourceOf(id, type)), TALLY, NOTHING_BEFORE)
const fails = (id: string, type: Type = 'exchange', code: SourceErrorCode = 'source_timeout') =>
  sourceRow(reportOf(sourceOf(id, type), { error: new SourceError(code, 'no answer') }), TALLY, NOTHING_BEFORE)
const statusOf = (...rows: readonly SourceRow[]) => healthFrom(rows, false).sourceStatus

describe('a document is', () => {
  it.each<readonly [string, string, readonly SourceRow[]]>([
    ['ok', 'it has no source', []],
    ['ok', 'all of its sources answer', [answers('a', 'aggregator'), answers('b')]],
    ['ok', 'one of three exchanges is silent', [answers('a'), answers('b'), fails('c')]],
    ['degraded', 'two of three exchanges are silent', [answers('a'), fails('b'), fails('c')]],
    ['ok', 'one of two aggregators is silent', [answers('a', 'aggregator'), fails('b', 'aggregator')]],
    ['degraded', 'its only aggregator is silent', [fails('a', 'aggregator'), answers('b'), answers('c')]],
    ['down', 'its only source is silent, and that is neither exchange nor aggregator', [fails('pools', 'dex')]],
    ['down', 'all of its sources are silent', [fails('a', 'aggregator'), fails('b')]],
  ])('%s where %s', (status, _, rows) => {
    expect(statusOf(...rows)).toBe(status)
  })

  it('stale, not down, while the last good data is published', () => {
    expect(healthFrom([fails('pools', 'dex')], true).sourceStatus).toBe('stale')
  })
})

describe('its error', () => {
  it('is null exactly where it is ok', () => {
    expect(healthFrom([answers('a')], false).sourceError).toBeNull()
    expect(healthFrom([answers('a'), fails('b')], false).sourceError).not.toBeNull()
  })

  it('names who is silent and since when', () => {
    const earlier = { ...fails('b'), failing_since: '2026-11-20T09:00:00Z' }
    expect(healthFrom([answers('a'), fails('c'), earlier], false).sourceError).toEqual({
      code: 'quorum_not_met',
      message: 'No usable answer from C, B.',
      sources: ['c', 'b'],
      since: '2026-11-20T09:00:00Z',
    })
  })

  it('has the code of all that are silent where they agree', () => {
    const code = (...rows: readonly SourceRow[]) => healthFrom(rows, false).sourceError?.code
    expect(code(fails('a'), fails('b'))).toBe('source_timeout')
    expect(code(fails('a'), fails('b', 'exchange', 'source_invalid'))).toBe('quorum_not_met')
  })
})

describe('the row of a source', () => {
  it('counts failures in a row, and those of one run once', () => {
    const first = fails('a')
    expect(first).toMatchObject({ status: 'down', consecutive_failures: 1, failing_since: AT, last_success: null })
    const previous = { ...NOTHING_BEFORE, sources: new Map([['a', first]]) }
    const again = (attemptedAt: number) =>
      sourceRow(
        reportOf(sourceOf('a'), { error: new SourceError('source_timeout', 'no answer'), attemptedAt }),
        TALLY,
        previous,
      )
    expect(again(NOW)).toMatchObject({ consecutive_failures: 1, failing_since: AT })
    expect(again(NOW + HOUR)).toMatchObject({ consecutive_failures: 2, failing_since: AT })
  })

  it.each([
    ['ok', 'two of ten rows cannot be read', 2],
    ['degraded', 'three of ten rows cannot be read', 3],
  ])('is %s where %s', (status, _, count) => {
    const rejected = [{ reason: 'y', count }]
    const quotes = Array.from({ length: 10 - count }, (__, n) => quoteOf(`C${n}/USD`, 1))
    const row = sourceRow(reportOf(sourceOf('a'), { rejected, quotes }), TALLY, NOTHING_BEFORE)
    expect(row).toMatchObject({ status, quarantined_count: count, quarantine_reasons: [{ reason: 'y', count }] })
  })

  it('does not take an answer for a live one of which every row is old', () => {
    const old = [quoteOf('A/USD', 1, { at: NOW - 49 * HOUR }), quoteOf('B/USD', 1, { at: NOW - 60 * HOUR })]
    const row = sourceRow(reportOf(sourceOf('a'), { quotes: old }), TALLY, NOTHING_BEFORE)
    expect(row).toMatchObject({ status: 'down', quarantined_count: 2, error: { code: 'source_stale' } })
    const fresh = sourceRow(
      reportOf(sourceOf('a'), { quotes: [...old, quoteOf('C/USD', 1, { at: NOW })] }),
      TALLY,
      NOTHING_BEFORE,
    )
    expect(fresh).toMatchObject({ status: 'ok', error: null })
  })
})
