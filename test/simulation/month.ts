import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Composition } from '../../src/endpoints/compose.ts'
import { openRegistry } from '../../src/registry/registry.ts'
import { randomOf } from '../../src/sources/sample/sample.ts'
import { SourceError } from '../../src/sources/source-error.ts'
import { BASICS, type Run, ONE_LIMITED_LIST, runOnce } from '../sample-tree.ts'
import { type Death, Killed, dying } from './dying-disk.ts'
import { type Day, Ledger } from './ledger.ts'
import { BIRTH, type Coin, HOUR, coinsOf, sourceOf, truthOf } from './market.ts'
import { Places } from './places.ts'

/** All that is verified: with one list in several lengths, and without exports and descriptions. */
export const COMPOSITION: Composition = { ...ONE_LIMITED_LIST, attachments: [] }

const HALF_HOUR = HOUR / 2
const SOURCES = [
  ['list', 'aggregator'],
  ['index', 'aggregator'],
  ['alpha', 'exchange'],
  ['beta', 'exchange'],
  ['gamma', 'exchange'],
  ['pools', 'dex'],
] as const

/** When each incident begins and ends, as shares of the time: in thirty days two days are a fifteenth. */
const PLAN = {
  aggregatorDown: [0.22, 0.22 + 1 / 30],
  venueDown: [0.1, 0.1 + 2 / 30],
  /** 28 hours of thirty days. */
  gap: [0.36, 0.36 + 28 / 720],
  hourly: [0.6, 0.7],
  removed: [0.86, 1],
} as const
/** What happens once, at a share of the time. */
const MOMENTS = {
  stateLost: 0.3,
  crash: 0.45,
  treeLost: 0.5,
  allLost: 0.78,
} as const
const LOSSES = [MOMENTS.stateLost, MOMENTS.treeLost]
const DEATHS: readonly (readonly [number, Death])[] = [
  [0.06, { after: 'journal', writes: 5 }],
  [0.55, { after: 'start', writes: 20 }],
  [0.82, { after: 'journal', writes: 60 }],
]
const JOINING = [0.14, 0.34, 0.66, 0.9]
/** Of a month with fewer runs, one day in so many has half-hourly ones. */
const HALF_HOURLY = 10
const CRASH = 0.4
/** The median move that is an event. A half hour has less; three hours may have more. */
const TOLD_MOVE = 0.03
/** How long a price that one source alone tells is held after it halved or worse. */
const HELD_MS = 6 * HOUR
/** What is rounded and what the sources differ by; two half hours of one listing differ by far more. */
const TOLERANCE = 1e-4

const INTERVALS: Readonly<Record<string, number>> = { '30m': HALF_HOUR, '1h': HOUR, '4h': 4 * HOUR, '1d': 24 * HOUR }
const Series = z.object({
  interval: z.string(),
  from: z.iso.datetime(),
  missing: z.number(),
  rows: z.array(z.object({ timestamp: z.iso.datetime(), price_usd: z.number() })),
})
const Closes = z.object({
  runs: z.number(),
  rows: z.array(
    z.object({
      slug: z.string(),
      close_usd: z.number(),
      open_usd: z.number(),
      high_usd: z.number(),
      low_usd: z.number(),
      runs: z.number(),
    }),
  ),
})
const Changes = z.object({ rows: z.array(z.object({ at: z.string(), kind: z.string(), subject: z.string() })) })

const isNear = (one: number, other: number | undefined) => other !== undefined && Math.abs(one / other - 1) <= TOLERANCE
const secondOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** A month of half-hourly runs over a market in motion, with what goes wrong in a month, and books kept beside it. */
export class Month {
  readonly root: string
  readonly slots: number
  readonly ledger = new Ledger()
  readonly tally: Record<string, number> = {}
  readonly #step: number
  readonly #coins: readonly Coin[]
  readonly #places: Places
  readonly #registry = openRegistry({
    assets: [],
    spelledAs: Object.fromEntries(SOURCES.map(([id]) => [id, 'coingecko'])),
  })
  readonly #swings: ReadonlyMap<string, readonly number[]>
  /** Expected events, oldest first: time, kind and subject. */
  readonly #events: string[] = []
  /** Facts of the last publication that events follow from. */
  #last: {
    readonly at: number
    readonly cadenceMs: number
    readonly down: readonly string[]
    readonly configured: readonly string[]
    readonly listed: readonly string[]
  } | null = null
  #crashedAt = Infinity
  #areHeld = false

  /** @param step half hours between two runs, but for every tenth day, which has half-hourly ones */
  constructor(
    folder: string,
    { days, listings, step }: { readonly days: number; readonly listings: number; readonly step: number },
  ) {
    this.#step = step
    this.root = join(folder, 'tree')
    this.slots = days * 48
    this.#places = new Places(folder, this.root)
    const random = randomOf(30)
    this.#coins = coinsOf(random, listings)
    this.#swings = new Map(
      this.#coins.map(({ id }) => [id, Array.from({ length: this.slots }, () => 1 + (random() - 0.5) / 50)]),
    )
    mkdirSync(this.root)
  }

  /** Whether there is a run in a slot. */
  isDue(slot: number): boolean {
    return !this.#isIn('gap', slot) && slot % this.#stepOf(slot) === 0
  }

  #isIn(incident: keyof typeof PLAN, slot: number): boolean {
    const [from, to] = PLAN[incident]
    return slot >= this.#slotOf(from) && slot < this.#slotOf(to)
  }

  /** One in which a run is due at any cadence of the month. */
  #slotOf = (share: number): number => {
    const step = 2 * this.#step
    return step * Math.floor((share * this.slots) / step)
  }

  /** Slots between two runs. */
  #stepOf(slot: number): number {
    if (this.#isIn('hourly', slot)) return 2
    return Math.floor(slot / 48) % HALF_HOURLY === 0 ? 1 : this.#step
  }

  #timeOf = (slot: number): number => BIRTH + slot * HALF_HOUR + ((slot * 7) % 11) * 60_000

  #truthAt(slot: number): typeof truthOf {
    return (coin, now) =>
      truthOf(coin, now) * (this.#swings.get(coin.id)?.[slot] ?? 1) * (slot >= this.#slotOf(MOMENTS.crash) ? CRASH : 1)
  }

  #listedIn(slot: number): readonly Coin[] {
    const joining = JOINING.map((share) => this.#slotOf(share))
    return this.#coins.filter((_, index) => slot >= (joining[index] ?? 0))
  }

  #downIn(slot: number): readonly string[] {
    return [...(this.#isIn('venueDown', slot) ? ['beta'] : []), ...(this.#isIn('aggregatorDown', slot) ? ['list'] : [])]
  }

  /** One run with what happens before and in it. Says what is wrong with what it published. */
  async step(slot: number): Promise<string[]> {
    const is = (moment: keyof typeof MOMENTS) => slot === this.#slotOf(MOMENTS[moment])
    if (is('stateLost')) rmSync(join(this.root, 'state'), { recursive: true })
    if (is('treeLost')) {
      this.#places.keepState()
      this.#places.move()
    }
    const from = is('allLost')
      ? (this.#places.deploy(), this.#places.loseState(), this.#places.move(), this.#places.from(null))
      : []
    const death = DEATHS.find(([share]) => this.#slotOf(share) === slot)?.[1] ?? null
    const run = this.#given(slot, from)
    const { result } = await dying(this.root, death, () => runOnce(run))
    if (result instanceof Killed) {
      this.#count('killed')
      for (const name of readdirSync(this.root)) if (name.startsWith('.lock')) rmSync(join(this.root, name))
      const isMoving = existsSync(join(this.root, '.journal'))
      if (isMoving) this.#see(slot)
      return isMoving === (death?.after === 'journal') ? [] : [`run ${slot} was not killed where it should be`]
    }
    if (death) return [`run ${slot} was not killed`]
    if (result.outcome !== 'published')
      return [
        `run ${slot}: ${result.outcome}: ${result.refusals.map(({ rule, message }) => `${rule}: ${message}`).join('; ')}`,
      ]
    this.#count('published')
    const isRestored = is('treeLost') || is('allLost')
    const before = this.#events.length
    this.#see(slot)
    const told = result.events.map(({ at, kind, subject }) => `${at} ${kind} ${subject}`)
    return [
      ...differences(`events of run ${slot}`, told, this.#events.slice(before)),
      ...(isRestored === (result.restored !== null) ? [] : [`run ${slot} restored ${JSON.stringify(result.restored)}`]),
      ...Object.entries(result.damaged).flatMap(([what, files]) =>
        JSON.stringify(files) === '[]' || files === 0
          ? []
          : [`run ${slot} has ${what}: ${JSON.stringify(files).slice(0, 200)}`],
      ),
    ]
  }

  #count(what: string): void {
    this.tally[what] = (this.tally[what] ?? 0) + 1
  }

  /** Enters a publication into the books: the prices that were told, and the events that follow. */
  #see(slot: number): void {
    const at = this.#timeOf(slot)
    const [down, truth] = [this.#downIn(slot), this.#truthAt(slot)]
    const listed = this.#listedIn(slot)
    const hasCrashed = this.#crashedAt === Infinity && slot >= this.#slotOf(MOMENTS.crash)
    if (hasCrashed) this.#crashedAt = at
    const areHeld = at >= this.#crashedAt && at - this.#crashedAt < HELD_MS
    const told = listed.filter(({ isLonely }) => !isLonely || !(areHeld || down.includes('list')))
    const before = this.ledger.publications.at(-1)?.prices
    this.ledger.publications.push({ at, prices: new Map(told.map((coin) => [coin.id, truth(coin, at)])) })
    const now = {
      at,
      cadenceMs: this.#cadenceOf(slot),
      down,
      configured: this.#configuredIn(slot).map(([id]) => id),
      listed: listed.map(({ id }) => id),
    }
    const last = this.#last
    this.#last = now
    if (!last) return
    const without = (some: readonly string[], others: readonly string[]) => some.filter((one) => !others.includes(one))
    const lonely = listed.flatMap(({ id, isLonely }) => (isLonely ? [id] : []))
    const moves = told.flatMap((coin) => Math.log(truth(coin, at) / (before?.get(coin.id) ?? Number.NaN)) || [])
    const hasMoved = Math.abs(Math.expm1(moves.toSorted((a, b) => a - b)[moves.length >> 1] ?? 0)) >= TOLD_MOVE
    const isReleased = this.#areHeld && !areHeld
    this.#areHeld = areHeld
    const events = [
      ...without(now.listed, last.listed).map((id) => `listed ${id}`),
      ...without(now.down, last.down).map((id) => `source_down ${id}`),
      ...without(last.down, now.down).map((id) => `source_back ${id}`),
      ...without(last.configured, now.configured).map((id) => `source_removed ${id}`),
      ...(at - last.at > Math.max(90 * 60_000, 2 * last.cadenceMs) ? ['gap runs'] : []),
      ...(hasMoved ? ['market_moved market'] : []),
      ...(hasCrashed ? lonely.map((id) => `held ${id}`) : []),
      ...(isReleased ? lonely.map((id) => `released ${id}`) : []),
    ]
    this.#events.push(...events.map((event) => `${secondOf(at)} ${event}`))
  }

  /** Says which series of these listings are not what the books have. */
  seriesFaults(share: number): string[] {
    const chosen = this.#coins.filter((_, index) => index % Math.max(1, Math.round(1 / share)) === 0)
    return chosen.flatMap(({ id }) =>
      this.ledger.publications.some(({ prices }) => prices.has(id))
        ? [1, 7, 30, 90, 365].flatMap((days) => this.#seriesFault(id, days))
        : [],
    )
  }

  #seriesFault(id: string, days: number): string[] {
    const name = `${days} days of ${id}`
    const { interval, from, missing, rows } = Series.parse(this.#json(`history/${id}/days=${days}`))
    const length = INTERVALS[interval] ?? Number.NaN
    const expected = this.ledger.points(id, days, length)
    const open = Math.floor(this.ledger.newest / length) * length
    const isWaiting = days >= 30
    const shown = new Map(rows.map(({ timestamp, price_usd }) => [Date.parse(timestamp), price_usd]))
    // A half hour in which no run was due has the price of the hour, or none.
    const isCoarse = days === 1 && this.#hasNewCadence(expected.from)
    const wrong = [...shown].filter(([at, price]) => {
      if (isWaiting && at === open) return false
      if (isCoarse) return !this.#hourOf(id, at).some((one) => isNear(price, one))
      return !isNear(price, expected.prices.get(at))
    })
    const lost = isCoarse ? [] : [...expected.prices.keys()].filter((at) => !shown.has(at))
    return [
      ...(Date.parse(from) === expected.from ? [] : [`${name} begin at ${from}, not at ${secondOf(expected.from)}`]),
      ...(missing === (days * 24 * HOUR) / length - rows.length
        ? []
        : [`${name} state ${missing} missing points of ${rows.length}`]),
      ...wrong
        .slice(0, 3)
        .map(([at, price]) => `${name} have ${price} at ${secondOf(at)}, not ${expected.prices.get(at)}`),
      ...lost.slice(0, 3).map((at) => `${name} lack ${secondOf(at)}`),
    ]
  }

  /** Whether the cadence changed in the time since. */
  #hasNewCadence(since: number): boolean {
    const [first, last] = [since - HOUR, this.ledger.newest].map((at) => Math.floor((at - BIRTH) / HALF_HOUR))
    const slots = Array.from({ length: (last ?? 0) - (first ?? 0) + 1 }, (_, index) => (first ?? 0) + index)
    return new Set(slots.map((slot) => this.#stepOf(Math.max(0, slot)))).size > 1
  }

  #hourOf(id: string, at: number): number[] {
    const hour = Math.floor(at / HOUR)
    return this.ledger.publications.flatMap((one) =>
      Math.floor(one.at / HOUR) === hour ? [one.prices.get(id) ?? Number.NaN] : [],
    )
  }

  /** Says which days have not the closes that the books have. */
  closesFaults(): string[] {
    return [...this.ledger.days()].flatMap(([date, { runs, listings }]) => {
      const document = `closes/${date}`
      if (!existsSync(join(this.root, `api/mkt/${document}.json`))) return [`${document} is lost`]
      const closes = Closes.parse(this.#json(document))
      const shown = new Map(closes.rows.map((row) => [row.slug, row]))
      return [
        ...(closes.runs === runs ? [] : [`${document} has ${closes.runs} runs, not ${runs}`]),
        ...differences(`listings of ${document}`, [...shown.keys()], [...listings.keys()]),
        ...[...listings].flatMap(([id, day]) => {
          const row = shown.get(id)
          const own: Day | null = row
            ? { open: row.open_usd, high: row.high_usd, low: row.low_usd, close: row.close_usd, runs: row.runs }
            : null
          const isRight =
            own &&
            own.runs === day.runs &&
            (['open', 'high', 'low', 'close'] as const).every((name) => isNear(own[name], day[name]))
          return own === null || isRight
            ? []
            : [`${document} has ${JSON.stringify(own)} of ${id}, not ${JSON.stringify(day)}`]
        }),
      ]
    })
  }

  /** Says which events the tree has in other runs than the books, or not at all. */
  eventFaults(): string[] {
    const folder = join(this.root, 'api/mkt/changes')
    const told = (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => /^\d{4}-\d\d-\d\d\.json$/.test(name))
      .flatMap((name) => Changes.parse(this.#json(`changes/${name.slice(0, -5)}`)).rows)
      .map(({ at, kind, subject }) => `${at} ${kind} ${subject}`)
    return differences('published events', told, this.#events)
  }

  #json(document: string): unknown {
    return JSON.parse(readFileSync(join(this.root, `api/mkt/${document}.json`), 'utf8'))
  }

  #configuredIn(slot: number) {
    return SOURCES.filter(([id]) => id !== 'gamma' || !this.#isIn('removed', slot))
  }

  #cadenceOf = (slot: number): number => this.#stepOf(slot) * HALF_HOUR

  #given(slot: number, from: NonNullable<Run['from']>): Run {
    const now = this.#timeOf(slot)
    const [coins, down, truth] = [this.#listedIn(slot), this.#downIn(slot), this.#truthAt(slot)]
    return {
      root: this.root,
      ...BASICS,
      kind: 'live',
      sources: this.#configuredIn(slot).map(([id, type]) =>
        sourceOf(id, type, { lie: down.includes(id) ? 'silent' : null, since: 0, coins, now, truth }),
      ),
      registry: this.#registry,
      now,
      wallNow: now,
      elapsed: () => 0,
      signal: new AbortController().signal,
      connect: () => ({
        stats: { requests: 0, retries: 0, bytes: 0 },
        json: () => Promise.reject(new SourceError('source_unreachable', 'no network')),
        close: async () => {},
      }),
      listings: null,
      history: { perRun: 0, perSource: 0 },
      cadenceMs: this.#cadenceOf(slot),
      from,
      // The one that is needed is the newest, as on a machine that keeps a copy for each day.
      checkpoint:
        slot % 48 === 0 ||
        slot + this.#stepOf(slot) >= this.slots ||
        LOSSES.some((share) => slot === this.#slotOf(share) - this.#stepOf(slot)),
      compress: true,
      composition: COMPOSITION,
    }
  }
}

function differences(what: string, shown: readonly string[], expected: readonly string[]): string[] {
  const [lost, more] = [expected.filter((one) => !shown.includes(one)), shown.filter((one) => !expected.includes(one))]
  return [
    ...(lost.length > 0 ? [`${what} lack ${lost.slice(0, 5).join(', ')}`] : []),
    ...(more.length > 0 ? [`${what} have ${more.length} more: ${more.slice(0, 8).join(', ')}`] : []),
  ]
}
