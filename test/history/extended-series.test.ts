import { describe, expect, it } from 'vitest'
import { INTERVAL_MS } from '../../src/contract/time.ts'
import type { Asset } from '../../src/contract/asset.ts'
import { DAYS, seriesFile } from '../../src/contract/history.ts'
import { print } from '../../src/contract/text.ts'
import type { Health } from '../../src/feed/health.ts'
import type { Backfill } from '../../src/history/extend.ts'
import { extendedSeries } from '../../src/history/extended-series.ts'
import { bucketOf, timestampOf } from '../../src/history/grid.ts'
import { lastSeries } from '../../src/history/last-series.ts'
import { assetOf, basisOf } from '../feed/world.ts'
import { GRID } from './published.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const HALF_HOUR = INTERVAL_MS['30m']
const DAY = INTERVAL_MS['1d']
const OK: Health = { sourceStatus: 'ok', sourceError: null }
const errorOf = (source: string): Health => ({
  sourceStatus: 'degraded',
  sourceError: { code: 'source_timeout', message: 'no answer', sources: [source], since: timestampOf(NOON) },
})

/** What a run is given of the asset `acme`. */
interface Given {
  readonly now?: number
  readonly asset?: Partial<Asset> | null
  readonly health?: Health
  readonly backfills?: readonly Backfill[]
}

/** The files of a tree, and the runs over it. */
function treeOf() {
  const files = new Map<string, string>()
  const read: string[] = []
  const tree = {
    read(file: string) {
      read.push(file)
      return files.get(file) ?? null
    },
    head: (file: string) => files.get(file)?.slice(0, 400) ?? '',
  }
  const opened = ({ now = NOON, asset = {}, health = OK, backfills = [] }: Given = {}) =>
    extendedSeries({
      snapshot: {
        bySlug: new Map(asset === null ? [] : [['acme', { asset: assetOf('acme', asset), markets: [] }]]),
        healthOf: new Map([['acme', health]]),
      },
      past: { backfills: new Map([['acme', backfills]]) },
      last: lastSeries(tree, () => []),
      label: 'Test feed',
      grid: GRID,
      now,
    })
  return {
    files,
    read,
    opened,
    /** Publishes what a run changes, and returns the ranges of it. */
    publish(given: Given = {}): number[] {
      const changed = [...opened(given).changedSeries('acme')]
      for (const [days, series] of changed)
        files.set(seriesFile('acme', days), print({ ...(given.health ?? OK), ...series }))
      return changed.map(([days]) => days)
    },
  }
}
const ascending = (days: readonly number[]) => days.toSorted((a, b) => a - b)

describe('the changed series of a run', () => {
  it('are all of an asset that is new', () => {
    expect(ascending(treeOf().publish())).toEqual([...DAYS])
  })

  it('hold what the run saw, with the label of the feed', () => {
    const series = treeOf()
      .opened({ asset: { price_usd: 5, volume_24h_usd: 7 } })
      .changedSeries('acme')
      .get(7)
    const row = { timestamp: timestampOf(bucketOf(NOON, '1h')), price_usd: 5, volume_24h_usd: 7 }
    expect(series).toMatchObject({ slug: 'acme', sourceLabel: 'Test feed', rows: [row] })
  })

  it.each([
    ['a carried price', { price_basis: basisOf('carried') }],
    ['no price', { price_usd: null }],
  ])('hold no row of %s', (_, asset) => {
    const changed = treeOf().opened({ asset }).changedSeries('acme')
    expect([...changed.values()].flatMap(({ rows }) => rows)).toEqual([])
  })

  it('are the ranges whose bucket moved', () => {
    const tree = treeOf()
    tree.publish()
    expect(tree.publish({ now: NOON + HALF_HOUR })).toEqual([1])
    expect(ascending(tree.publish({ now: NOON + 2 * HALF_HOUR }))).toEqual([1, 7])
    expect(tree.publish({ now: NOON + 2 * HALF_HOUR })).toEqual([])
  })

  it('are all of them when the source of a document changes, and then none', () => {
    const tree = treeOf()
    tree.publish()
    for (const health of [errorOf('list'), errorOf('venue'), OK]) {
      expect(ascending(tree.publish({ health })), health.sourceStatus).toEqual([...DAYS])
      expect(tree.publish({ health }), health.sourceStatus).toEqual([])
    }
  })

  it('hold the past prices that a source reported', () => {
    const bucket = bucketOf(NOON - 2 * DAY, '1d')
    const backfills = [{ interval: '1d', label: 'Kraken', points: { buckets: [bucket], prices_usd: [3] } }] as const
    const year = treeOf().opened({ backfills }).changedSeries('acme').get(365)
    expect(year?.rows[0]).toEqual({ timestamp: timestampOf(bucket), price_usd: 3, volume_24h_usd: null })
  })

  it('of an asset that has a successor name it once, and hold nothing', () => {
    const tree = treeOf()
    tree.publish()
    const retired = { asset: { replaced_by: 'next', price_usd: 5 } }
    const series = tree.opened(retired)
    expect([...series.changedSeries('acme').values()]).toHaveLength(5)
    expect(series.seriesOf('acme', 30)).toMatchObject({ days: 30, replacedBy: 'next', count: 0, rows: [] })
    tree.publish(retired)
    expect(tree.publish(retired)).toEqual([])
    expect(ascending(tree.publish({ asset: { replaced_by: 'other' } }))).toEqual([...DAYS])
  })

  it('are written under the slug of the asset where those that are read stand under another', () => {
    const tree = treeOf()
    tree.publish()
    const text = tree.files.get(seriesFile('acme', 1)) ?? ''
    tree.files.set(seriesFile('acme', 1), text.replace('"slug":"acme"', '"slug":"before"'))
    expect(ascending(tree.publish())).toEqual([...DAYS])
  })
})

describe('one range of an asset', () => {
  it('is whole where nothing changed', () => {
    const tree = treeOf()
    tree.publish({ asset: { price_usd: 5 } })
    const series = tree.opened({ asset: { price_usd: 5 } })
    expect(series.changedSeries('acme').size).toBe(0)
    for (const days of DAYS)
      expect(series.seriesOf('acme', days), `${days}`).toMatchObject({ slug: 'acme', days, count: 1 })
  })

  it('of a new asset without a price has no window', () => {
    const series = treeOf()
      .opened({ asset: { replaced_by: 'next' } })
      .seriesOf('acme', 90)
    expect(series).toMatchObject({ days: 90, from: null, to: null, count: 0, missing: 90 })
  })

  it('is rebuilt from finer series if its document is lost', () => {
    const tree = treeOf()
    tree.publish({ asset: { price_usd: 5 } })
    tree.files.delete(seriesFile('acme', 30))
    expect(tree.opened({ asset: null }).seriesOf('acme', 30).rows).toMatchObject([{ price_usd: 5 }])
  })

  it('is read once, however many ranges are asked for', () => {
    const tree = treeOf()
    tree.publish()
    const series = tree.opened()
    series.seriesOf('acme', 365)
    const { length } = tree.read
    for (const days of DAYS) series.seriesOf('acme', days)
    expect(tree.read).toHaveLength(length)
  })

  it('is empty for an unknown asset', () => {
    const series = treeOf().opened({ asset: null }).seriesOf('acme', 7)
    expect(series).toMatchObject({
      slug: 'acme',
      days: 7,
      interval: '1h',
      from: null,
      to: null,
      count: 0,
      missing: 168,
    })
  })
})

describe('the assets with history', () => {
  const pastDays = (count: number): readonly Backfill[] => [
    {
      interval: '1d',
      label: 'Kraken',
      points: {
        buckets: Array.from({ length: count }, (_, day) => bucketOf(NOON - (day + 1) * DAY, '1d')),
        prices_usd: Array<number>(count).fill(3),
      },
    },
  ]

  it.each([
    ['those with a value on half of the days of a year', 182, 1],
    ['none with a value on fewer', 181, 0],
  ])('are %s', (_, past, count) => {
    const tree = treeOf()
    const series = tree.opened({ backfills: pastDays(past) })
    expect(series.withHistory()).toBe(count)
    tree.publish({ backfills: pastDays(past) })
    // Also when the document of the year is not written again, of which the head alone is read.
    const next = tree.opened({ now: NOON + HALF_HOUR })
    next.seriesOf('acme', 1)
    expect(next.withHistory()).toBe(count)
    expect(tree.opened().withHistory()).toBe(count)
  })
})
