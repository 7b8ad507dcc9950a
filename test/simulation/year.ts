import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { DAYS, seriesFile } from '../../src/contract/history.ts'
import { commitData } from '../../src/delivery/data-branch.ts'
import { tracesOf } from '../../src/delivery/first-run.ts'
import { parseSeries } from '../../src/history/last-series.ts'
import type { Series } from '../../src/history/series.ts'
import { type Registry, openRegistry } from '../../src/registry/registry.ts'
import { CADENCE_MS } from '../../src/run/run.ts'
import { randomOf } from '../../src/sources/sample/sample.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { RestoreError } from '../../src/tree/tree-error.ts'
import { direct } from '../history/direct.ts'
import { asSeen } from '../history/published.ts'
import { AGGREGATORS, BIRTH, type Coin, EXCHANGES, HOUR, coinsOf, sourceOf } from './market.ts'
import { BASICS, type Run, runOnce } from '../sample-tree.ts'
import { Places } from './places.ts'
import { STATE_ONLY } from './state-only.ts'

/** What is away, from a share of each cycle on and for so many runs. */
interface Outage {
  readonly from: number
  readonly runs: number
  /** What the site answers in place of its files. */
  readonly site?: number
  /** The cache is empty when it begins. */
  readonly cache?: 'lost'
  /** The data branch is deleted when it begins. */
  readonly branch?: 'gone'
}

/** Every outage once, and two at once. The year has five such cycles. */
const OUTAGES: readonly Outage[] = [
  { from: 0.05, runs: 48, site: 403 },
  { from: 0.15, runs: 1, cache: 'lost' },
  { from: 0.25, runs: 48, site: 404 },
  { from: 0.35, runs: 1, branch: 'gone' },
  { from: 0.45, runs: 24, site: 403, cache: 'lost' },
  { from: 0.55, runs: 12, site: 404, cache: 'lost' },
  { from: 0.65, runs: 1, cache: 'lost', branch: 'gone' },
  { from: 0.75, runs: 12, site: 404, branch: 'gone' },
  { from: 0.85, runs: 96, site: 503 },
]
export const RUNS_OF_YEAR = 17_520
const CYCLES = 5
/** Shorter years have fewer cycles, so that each outage ends before the next one. */
const LEAST_CYCLE = 1000

/** The facts are committed once a day, which is when the closes come. */
export const RUNS_A_DAY = 48
/** One listing in four joins during the year, one after the other. */
const JOINING = 0.25

const Markets = z.object({
  rows: z.array(
    z.object({ slug: z.string(), price_usd: z.number().nullable(), volume_24h_usd: z.number().nullable() }),
  ),
})
const FirstListed = z.object({ asset: z.object({ first_listed: z.string().nullable() }) })

/** What a direct pass knows of a series. */
const rowsOf = (series: Series | undefined) =>
  series && { from: series.from, to: series.to, missing: series.missing, count: series.count, rows: series.rows }

/** What became of the runs so far. */
export interface Tally {
  readonly published: number
  readonly refused: number
  /** Publications by where the run before was restored from. */
  readonly restored: Readonly<Record<string, number>>
  readonly stateBytes: number
  readonly branchBytes: number
}

/**
 * A year of half-hourly runs of a CI service: each begins on an empty machine, goes on from what the cache or the site
 * keeps, publishes, keeps the checkpoint, deploys, and commits the facts to the data branch. What is away follows from
 * {@link OUTAGES}.
 */
export class Year {
  readonly #folder: string
  readonly #root: string
  readonly #remote: string
  readonly #coins: readonly Coin[]
  readonly #runs: number
  readonly #places: Places
  readonly #registry: Registry = openRegistry({ assets: [] })
  /** Of each publication: its time, and price and volume of each listing. */
  readonly #seen: { readonly now: number; readonly values: ReadonlyMap<string, readonly [number, number | null]> }[] =
    []
  readonly #restored: Record<string, number> = {}
  #refused = 0

  constructor(folder: string, { runs, listings }: { readonly runs: number; readonly listings: number }) {
    this.#folder = folder
    this.#root = join(folder, 'tree')
    this.#remote = join(folder, 'branch.git')
    this.#runs = runs
    this.#coins = coinsOf(randomOf(2027), listings)
    this.#places = new Places(folder, this.#root)
    mkdirSync(this.#root)
    this.#git('init', '--quiet', '--bare', this.#remote)
  }

  get tally(): Tally {
    const bytesIn = (root: string, folder: string) =>
      filesBelow(root, folder).reduce((sum, file) => sum + statSync(join(root, file)).size, 0)
    return {
      published: this.#seen.length,
      refused: this.#refused,
      restored: this.#restored,
      stateBytes: bytesIn(this.#root, 'state'),
      branchBytes: bytesIn(this.#remote, 'objects'),
    }
  }

  /** The listings of a run. */
  #listedIn(run: number): readonly Coin[] {
    const late = Math.floor(this.#coins.length * JOINING)
    return this.#coins.slice(late).concat(this.#coins.slice(0, Math.floor((late * run) / this.#runs)))
  }

  /** What is away in a run, and whether that begins with it. */
  #outageOf(run: number): { readonly outage: Outage | null; readonly begins: boolean } {
    const cycle = Math.max(LEAST_CYCLE, Math.ceil(RUNS_OF_YEAR / CYCLES))
    const place = run % Math.min(cycle, this.#runs)
    const length = Math.min(cycle, this.#runs)
    for (const outage of OUTAGES) {
      const since = place - Math.floor(outage.from * length)
      if (since >= 0 && since < outage.runs) return { outage, begins: since === 0 }
    }
    return { outage: null, begins: false }
  }

  /** One run. Says what is wrong with its outcome. */
  async step(run: number): Promise<string[]> {
    const now = BIRTH + run * CADENCE_MS
    const { outage, begins } = this.#outageOf(run)
    if (begins && outage?.cache === 'lost') this.#places.loseState()
    if (begins && outage?.branch === 'gone')
      this.#git('--git-dir', this.#remote, 'update-ref', '-d', 'refs/heads/snapshots')
    this.#places.move()
    const site = outage?.site ?? null
    const canRestore = run === 0 || this.#places.canRestore(site)
    const from = existsSync(this.#places.site) ? this.#places.from(site) : []
    const fresh = !existsSync(join(this.#root, 'state')) && (await this.#isFirst(from))
    if (fresh !== (run === 0)) return [`run ${run} ${fresh ? 'starts anew' : 'does not start'}`]
    try {
      const report = await runOnce(this.#given(run, now, { from: fresh ? [] : from, fresh }))
      if (report.outcome !== 'published')
        return [`run ${run}: ${report.refusals.map(({ message }) => message).join('; ')}`]
      if (!canRestore) return [`run ${run} published with nothing to go on from`]
      const place = report.restored ? (report.restored.place === this.#root ? 'cache' : 'site') : 'nothing'
      this.#restored[place] = (this.#restored[place] ?? 0) + 1
    } catch (error) {
      if (!(error instanceof RestoreError)) throw error
      this.#refused++
      return canRestore ? [`run ${run} refuses, with a state to go on from: ${error.message}`] : []
    }
    const faults = this.#see(run, now)
    this.#places.keepState()
    if (site !== 404) this.#places.deploy()
    if (run % RUNS_A_DAY === 0 || begins) await this.#commit()
    return faults
  }

  #isFirst(from: Run['from']): Promise<boolean> {
    const site = from?.[0] ?? placeAt(this.#places.site, { timeoutMs: 0, attempts: 1, pause: async () => {} })
    const cache = placeAt(this.#root, { timeoutMs: 0, attempts: 1, pause: async () => {} })
    const branch = { remote: this.#remote, branch: 'snapshots' }
    return tracesOf({ cache, sites: [site], branch, settings: this.#settings }).then((traces) => traces.length === 0)
  }

  /** Remembers what was published. Says which listings are missing or were not there. */
  #see(run: number, now: number): string[] {
    const { rows } = Markets.parse(this.#json('api/mkt/markets.json'))
    const values = new Map<string, readonly [number, number | null]>()
    for (const { slug, price_usd, volume_24h_usd } of rows)
      if (price_usd !== null) values.set(slug, [price_usd, volume_24h_usd])
    this.#seen.push({ now, values })
    const lost = this.#listedIn(run).filter(({ id }) => !values.has(id))
    return lost.map(({ id }) => `${id} has no price in run ${run}`)
  }

  /** Says which series of these listings are not what one direct pass over all publications gives. */
  faults(share: number): string[] {
    const chosen = this.#coins.filter((_, index) => index % Math.max(1, Math.round(1 / share)) === 0)
    return chosen.flatMap(({ id }) => {
      const since = this.#seen.findIndex(({ values }) => values.has(id))
      if (since < 0) return []
      const runs = this.#seen.slice(since).map(({ now, values }) => {
        const [price_usd, volume_24h_usd] = values.get(id) ?? [null, null]
        return { now, observations: price_usd === null ? [] : [{ at: now, price_usd, volume_24h_usd }] }
      })
      const expected = direct(runs)
      const published = asSeen(
        new Map(
          DAYS.flatMap((days) => {
            const series = parseSeries(readFileSync(join(this.#root, seriesFile(id, days)), 'utf8'))
            return series ? [[days, series]] : []
          }),
        ),
      )
      const wrong = DAYS.filter(
        (days) => JSON.stringify(rowsOf(published.get(days))) !== JSON.stringify(rowsOf(expected.get(days))),
      )
      const first = FirstListed.parse(this.#json(`api/mkt/assets/${id}.json`)).asset.first_listed
      const isFirst = first !== null && Date.parse(first) === this.#seen[since]?.now
      return [
        ...wrong.map((days) => `the ${days} days of ${id} are not those of a direct pass`),
        ...(isFirst ? [] : [`${id} is listed since ${first}`]),
      ]
    })
  }

  /** Packs the data branch, as a host does from time to time. */
  pack(): void {
    this.#git('--git-dir', this.#remote, 'gc', '--quiet', '--prune=now')
  }

  #json(file: string): unknown {
    return JSON.parse(readFileSync(join(this.#root, file), 'utf8'))
  }

  get #settings() {
    return { scratch: this.#folder, env: { PATH: process.env['PATH'] ?? '' } }
  }

  async #commit(): Promise<void> {
    const to = { remote: this.#remote, branch: 'snapshots' }
    await commitData({ root: this.#root, to, author: 'Year <year@example.org>', settings: this.#settings })
  }

  #git(...args: readonly string[]): void {
    execFileSync('git', args, { env: this.#settings.env })
  }

  #given(run: number, now: number, more: Pick<Run, 'fresh'> & { readonly from: NonNullable<Run['from']> }): Run {
    const coins = this.#listedIn(run)
    const told = (id: string, type: 'aggregator' | 'exchange') =>
      sourceOf(id, type, { lie: null, since: 0, coins, now })
    return {
      ...BASICS,
      root: this.#root,
      kind: 'sample',
      sources: [...AGGREGATORS.map((id) => told(id, 'aggregator')), ...EXCHANGES.map((id) => told(id, 'exchange'))],
      registry: this.#registry,
      now,
      wallNow: now,
      elapsed: () => 0,
      signal: new AbortController().signal,
      connect: () => ({
        stats: { requests: 0, retries: 0, bytes: 0 },
        json: () => Promise.reject(new Error('nobody is asked')),
        close: async () => {},
      }),
      listings: null,
      history: { perRun: 0, perSource: 0 },
      checkpoint: true,
      composition: STATE_ONLY,
      maxStateAgeMs: 24 * HOUR,
      ...more,
    }
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
