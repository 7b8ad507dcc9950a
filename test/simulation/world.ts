import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import * as z from 'zod'
import { Asset } from '../../src/core/contract/asset.ts'
import type { Composition } from '../../src/core/endpoints/compose.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import type { RunReport } from '../../src/core/run/run.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { randomOf } from '../../src/core/sources/sample/sample.ts'
import { finishPublication } from '../../src/core/tree/tree.ts'
import type { Place } from '../../src/core/tree/remote.ts'
import { RestoreError } from '../../src/core/tree/tree-error.ts'
import { errorsIn } from '../check/findings.ts'
import { type Death, Killed, dying } from './dying-disk.ts'
import {
  AGGREGATORS,
  BIRTH,
  type Coin,
  EXCHANGES,
  HOUR,
  LIES,
  type Telling,
  coinsOf,
  sourceOf,
  truthOf,
} from './market.ts'
import { BASICS, type Run, runOnce } from '../sample-tree.ts'
import { Places } from './places.ts'
import { STATE_ONLY } from './state-only.ts'
import { Reader, digestsIn, digestsOnTheirWay } from './reader.ts'

/** What may happen to the machine before or in a run. */
const ACCIDENTS = [
  'none',
  'none',
  'none',
  'cut',
  'killed',
  'killed',
  'lost',
  'truncated',
  'ahead',
  'behind',
  'moved',
] as const
type Accident = (typeof ACCIDENTS)[number]

type Outcome = RunReport | 'cut' | 'killed' | 'nothing to restore' | 'too old'

/** What happens in one run beside the telling of the sources. */
interface Circumstances {
  readonly accident: Accident
  /** What the site answers, if anything but its files. */
  readonly outage: number | null
}

const CALM: Circumstances = { accident: 'none', outage: null }

/**
 * One world: what is true, what each source says of it, and a tree that is published into, served, killed, damaged and
 * carried to other machines. All follows from the seed. One world in three lives on a CI service, where every run begins
 * in an empty folder and continues from the tables in a cache; one in three may lose its disk and continues from those of the
 * site; one in 25 publishes every document there is.
 */
export class World {
  readonly log: string[] = []
  readonly #root: string
  readonly #random: () => number
  readonly #coins: readonly Coin[]
  readonly #lies = new Map<string, Telling>()
  readonly #places: Places
  readonly #reader: Reader
  readonly #isOnCi: boolean
  readonly #isDeployed: boolean
  readonly #composition: Composition
  /** Files that were broken on the disk since the last publication. */
  readonly #damaged = new Set<string>()
  #editions: ReadonlyMap<string, string>[] = [new Map()]
  #now = BIRTH
  /** The machine's clock is off by so much. */
  #skew = 0
  /** Of the last run that was not killed. */
  #writes = 500

  private constructor(folder: string, seed: number, reader: Reader) {
    this.#root = join(folder, 'tree')
    this.#random = randomOf(seed)
    this.#coins = coinsOf(this.#random)
    this.#places = new Places(folder, this.#root)
    this.#reader = reader
    this.#isOnCi = seed % 3 === 0
    this.#isDeployed = seed % 3 < 2
    this.#composition = seed % 25 === 0 ? BASICS.composition : STATE_ONLY
  }

  /** The world of a seed, in an empty folder. */
  static async of(folder: string, seed: number): Promise<World> {
    mkdirSync(join(folder, 'tree'))
    return new World(folder, seed, await Reader.of(join(folder, 'tree'), seed % 8 === 0))
  }

  end(): Promise<void> {
    return this.#reader.close()
  }

  #chance = (share: number): boolean => this.#random() < share
  #pick<T>(list: readonly T[]): T {
    const one = list[Math.floor(this.#random() * list.length)]
    if (one === undefined) throw new Error('nothing to pick from')
    return one
  }

  /** A run in which one source may lie and the machine may fail. Says what is wrong with what is published and served. */
  async step(): Promise<string[]> {
    this.#now += HOUR / 2
    for (const [id, { since }] of this.#lies) if (this.#now - since > HOUR && this.#chance(0.4)) this.#lies.delete(id)
    // The first publication has nothing to be held against.
    const isFirst = this.log.length === 0
    if (!isFirst && this.#lies.size === 0 && this.#chance(0.6))
      this.#lies.set(this.#pick([...AGGREGATORS, ...EXCHANGES]), { lie: this.#pick(LIES), since: this.#now })
    const accident = isFirst ? 'none' : this.#pick(ACCIDENTS)
    this.#skew = accident === 'ahead' ? 48 * HOUR : accident === 'behind' ? -48 * HOUR : 0
    if (this.#isOnCi && this.#chance(0.2)) this.#places.loseState()
    const outage = this.#chance(0.2) ? this.#pick([403, 404, 503]) : null
    return this.#live({ accident, outage })
  }

  /** Honest runs until one is published, and some more. Says what is still wrong after it. */
  async heal(): Promise<string[]> {
    this.#lies.clear()
    this.#skew = 0
    let publications = 0
    for (let runs = 0; runs < 9; runs++) {
      this.#now += HOUR / 2
      const before = this.log.length
      const faults = await this.#live(CALM)
      if (faults.length > 0) return faults
      if (this.log.slice(before).join().includes(': published') && ++publications === 2) break
    }
    if (publications === 0) return ['nine honest runs are refused']
    const assets = this.#assets()
    const lost = this.#coins
      .filter(({ id }) => assets.get(id)?.listing_status !== 'active')
      .map(({ id }) => `${id} is lost`)
    const wrong = this.#coins.flatMap((coin) => {
      const price = assets.get(coin.id)?.price_usd ?? null
      const truth = truthOf(coin, this.#now)
      const off = price === null ? Infinity : Math.abs(Math.log(price / truth))
      return off > Math.log(1.12) ? [`${coin.id} is ${price}, and ${truth} is right`] : []
    })
    const torn = await errorsIn(this.#root, this.#composition)
    return [...lost, ...wrong, ...torn.map(({ check, document }) => `${check}: ${document}`)]
  }

  async #live({ accident, outage }: Circumstances): Promise<string[]> {
    const isFirst = this.log.length === 0
    const isMoved = !isFirst && (this.#isOnCi || (this.#isDeployed && accident === 'moved'))
    this.#damage(accident, isMoved ? this.#places.site : this.#root)
    if (isMoved) {
      this.#places.move()
      // Nothing is served until a restore.
      this.#editions = [new Map()]
    }
    const mayBeLost = !existsSync(join(this.#root, 'api')) && !this.#places.canRestore(outage)
    // What a run that was cut off has restored stays, though it published nothing.
    const standing = digestsIn(this.#root)
    // Begun before the run, and answered while it goes on.
    const reading = this.#reader.faults(
      this.#asked(),
      () => [...this.#editions, standing, digestsIn(this.#root)],
      this.#damaged,
    )
    const outcome = await this.#run(accident, isFirst || !this.#isDeployed ? [] : this.#places.from(outage))
    const read = await reading
    this.#write({ accident, outage }, isMoved, outcome)
    // A clock that is two days ahead makes every publication old, and one that cannot be read may be newer.
    if (outcome === 'too old')
      return accident === 'ahead' && outage !== null ? [] : ['a publication of today is too old']
    if (outcome === 'nothing to restore') return mayBeLost ? [] : ['nothing is restored of what is there']
    if (outcome === 'killed') return this.#afterKill(standing)
    const faults = isMoved ? [] : read
    if (outcome === 'cut') return faults
    if (this.#isOnCi) this.#places.keepState()
    // What was damaged is whole again with the next publication, and not before.
    if (outcome.outcome !== 'published') return faults
    this.#editions = [digestsIn(this.#root)]
    this.#damaged.clear()
    if (this.#isDeployed && (isFirst || this.#chance(0.85))) this.#places.deploy()
    return [...faults, ...this.faults(), ...(await this.#served())]
  }

  #write({ accident, outage }: Circumstances, isMoved: boolean, outcome: Outcome): void {
    const said = [...this.#lies].map(([id, { lie }]) => `${id} ${lie}`).join() || 'honest'
    const away = `${isMoved ? ', moved' : ''}${outage === null ? '' : `, site ${outage}`}`
    this.log.push(`${new Date(this.#now + this.#skew).toISOString()} ${said}, ${accident}${away}: ${nameOf(outcome)}`)
  }

  /** What is served of a half-moved publication, and once a server or the next run has finished it. */
  async #afterKill(standing: ReadonlyMap<string, string>): Promise<string[]> {
    // The lock of this process, which would be gone with it.
    for (const name of readdirSync(this.#root)) if (name.startsWith('.lock')) rmSync(join(this.#root, name))
    if (this.#isOnCi) return []
    const moving = digestsOnTheirWay(this.#root)
    // Without a journal the publication has not happened, or is complete.
    this.#editions.push(standing, moving.size > 0 ? moving : digestsIn(this.#root))
    const half = await this.#reader.faults(this.#asked([...moving.keys()]), () => this.#editions, this.#damaged)
    if (moving.size === 0 || this.#chance(0.5)) return half
    const trouble = finishPublication(this.#root, this.#now)
    this.#editions = [digestsIn(this.#root)]
    this.#damaged.clear()
    return [...half, ...(trouble ? [trouble.message] : []), ...(await this.#served())]
  }

  /** The documents that are asked for: the index, a list, one of a coin, and one of these. */
  #asked(files: readonly string[] = []): string[] {
    const { id } = this.#pick(this.#coins)
    const list = this.#pick(['collector', 'manifest', 'markets'])
    const own = this.#pick([`assets/${id}`, `assets/${id}/markets`, `history/${id}/days=1`])
    const more = files.length > 0 ? [this.#pick(files)].filter((file) => /^api\/.*\.json$/.test(file)) : []
    return ['api/mkt.json', ...[list, own].map((file) => `api/mkt/${file}.json`), ...more]
  }

  async #served(): Promise<string[]> {
    const [edition = new Map<string, string>()] = this.#editions
    if (edition.size === 0) return ['the index and the manifest are of two publications']
    return this.#reader.faults(this.#asked([...edition.keys()]), () => [edition], new Set())
  }

  /** What is published and should not be. */
  faults(): string[] {
    const assets = this.#assets()
    return this.#coins.flatMap((coin) => {
      const asset = assets.get(coin.id)
      if (!asset) return [`${coin.id} is not listed`]
      if (asset.first_listed !== null && Date.parse(asset.first_listed) > FIRST_RUN)
        return [`${coin.id} is listed again: ${asset.first_listed}`]
      const isMarked = asset.carried !== null || asset.verification_status === 'flagged' || asset.last_seen !== null
      if (asset.price_usd === null || isMarked) return []
      const truth = truthOf(coin, this.#now)
      // One witness may be believed within the limits of the gate; several leave no lie of one of them.
      const limit = coin.isLonely ? 2.2 : 1.25
      return Math.abs(Math.log(asset.price_usd / truth)) > Math.log(limit)
        ? [`${coin.id} is ${asset.price_usd} unmarked, and ${truth} is right`]
        : []
    })
  }

  #assets(): Map<string, Asset> {
    const folder = join(this.#root, 'api/mkt/assets')
    const found = new Map<string, Asset>()
    for (const { id } of this.#coins) {
      try {
        const text = readFileSync(join(folder, `${id}.json`), 'utf8')
        found.set(id, z.object({ asset: Asset }).parse(JSON.parse(text)).asset)
      } catch {
        // Not there: what is missing is found by the caller.
      }
    }
    return found
  }

  #damage(accident: Accident, root: string): void {
    if (accident !== 'lost' && accident !== 'truncated') return
    const files = filesIn(join(root, 'api'))
    if (files.length === 0) return
    const path = this.#pick(files)
    const file = relative(root, path)
    this.log.push(`${accident} ${file}`)
    if (root === this.#root) this.#damaged.add(file)
    const beginning = readFileSync(path).subarray(0, 20)
    // A new file: the other copies share the old one.
    rmSync(path)
    if (accident === 'truncated') writeFileSync(path, beginning)
  }

  async #run(accident: Accident, from: readonly Place[]): Promise<Outcome> {
    const cut = {
      path: 'cut.txt',
      get text(): string {
        throw new Error('power cut')
      },
    }
    const { attachments } = this.#composition
    const composition = { ...this.#composition, attachments: [...attachments, () => [cut]] }
    const own = accident === 'cut' ? { composition } : {}
    try {
      const death = accident === 'killed' ? this.#death() : null
      const { result, writes } = await dying(this.#root, death, () => runOnce({ ...this.#given(from), ...own }))
      if (result instanceof Killed) return 'killed'
      this.#writes = Math.max(writes, 100)
      return result
    } catch (error) {
      if (accident === 'cut' && error instanceof Error && error.message === 'power cut') return 'cut'
      if (error instanceof RestoreError) return error.reason === 'too_old' ? 'too old' : 'nothing to restore'
      throw error
    }
  }

  /** Often while files are moved: that is when a publication has happened, and is not finished. */
  #death(): Death {
    const [after, share] = this.#chance(0.6) ? (['journal', 0.4] as const) : (['start', 1] as const)
    return { after, writes: Math.floor(this.#random() * this.#writes * share) }
  }

  #given(from: readonly Place[]): Run {
    const now = this.#now + this.#skew
    const told = (id: string, type: 'aggregator' | 'exchange') =>
      sourceOf(id, type, { ...(this.#lies.get(id) ?? { lie: null, since: 0 }), coins: this.#coins, now: this.#now })
    return {
      root: this.#root,
      ...BASICS,
      kind: 'sample',
      sources: [...AGGREGATORS.map((id) => told(id, 'aggregator')), ...EXCHANGES.map((id) => told(id, 'exchange'))],
      registry: openRegistry({ assets: [] }),
      now,
      wallNow: now,
      elapsed: () => 0,
      signal: new AbortController().signal,
      connect: () => ({
        stats: { requests: 0, retries: 0, bytes: 0 },
        json: () => Promise.reject(new SourceError('source_unreachable', 'no one')),
        close: async () => {},
      }),
      listings: null,
      history: { perRun: 0, perSource: 0 },
      from,
      composition: this.#composition,
    }
  }
}

const FIRST_RUN = BIRTH + HOUR / 2

const nameOf = (outcome: Outcome): string =>
  typeof outcome === 'string' ? outcome : [outcome.outcome, ...outcome.refusals.map(({ rule }) => rule)].join(' ')

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
  } catch {
    return []
  }
}
