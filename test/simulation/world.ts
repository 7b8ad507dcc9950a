import { readFileSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { diagnose } from '../../src/check/doctor.ts'
import { Asset } from '../../src/contract/asset.ts'
import { specs } from '../../src/endpoints/table.ts'
import { openRegistry } from '../../src/registry/registry.ts'
import { type RunReport, snapshot } from '../../src/run/run.ts'
import { OWN_DATA } from '../../src/sources/rights.ts'
import type { Quote, Sighting, Source } from '../../src/sources/source.ts'
import { SourceError } from '../../src/sources/source-error.ts'
import { randomOf } from '../../src/sources/sample/world.ts'

const HOUR = 3_600_000
const BIRTH = Date.UTC(2026, 10, 20, 12)
const COINS = 26
/** The last of them are known to one aggregator alone, and trade nowhere. */
const LONELY = 4

/** What a source may do in a run beside telling the truth. */
const LIES = ['silent', 'half', 'repeat', 'spam', 'tenfold', 'drift', 'swap', 'zero', 'old', 'broken'] as const
type Lie = (typeof LIES)[number]

/** What may happen to the machine between two runs. */
const ACCIDENTS = ['none', 'none', 'none', 'cut', 'lost', 'truncated', 'ahead', 'behind'] as const

interface Coin {
  readonly id: string
  readonly name: string
  readonly price: number
  readonly isLonely: boolean
}

/** One world: what is true, what each source says of it, and a tree that is published into. All follows from the seed. */
export class World {
  readonly root: string
  readonly log: string[] = []
  readonly #random: () => number
  readonly #coins: readonly Coin[]
  readonly #lies = new Map<string, { readonly lie: Lie; since: number }>()
  #now = BIRTH
  /** The machine's clock is off by so much. */
  #skew = 0

  constructor(root: string, seed: number) {
    this.root = root
    this.#random = randomOf(seed)
    this.#coins = Array.from({ length: COINS }, (_, number) => ({
      id: `coin-${number}`,
      name: `Coin ${number}`,
      price: 10 ** (this.#random() * 5 - 2),
      isLonely: number >= COINS - LONELY,
    }))
  }

  #chance = (share: number): boolean => this.#random() < share
  #pick<T>(list: readonly T[]): T {
    const one = list[Math.floor(this.#random() * list.length)]
    if (one === undefined) throw new Error('nothing to pick from')
    return one
  }

  /** The true price at the time of the world. */
  #truth(coin: Coin): number {
    const hours = (this.#now - BIRTH) / HOUR
    return coin.price * (1 + 0.05 * Math.sin(hours / 3 + coin.price))
  }

  /** A run in which one source may lie and the machine may fail. Says what is wrong with what is published then. */
  async step(): Promise<string[]> {
    this.#now += HOUR / 2
    for (const [id, { since }] of this.#lies) if (this.#now - since > HOUR && this.#chance(0.4)) this.#lies.delete(id)
    // The first publication has nothing to be held against.
    const isFirst = this.log.length === 0
    if (!isFirst && this.#lies.size === 0 && this.#chance(0.6))
      this.#lies.set(this.#pick(['list', 'index', 'alpha', 'beta', 'gamma']), {
        lie: this.#pick(LIES),
        since: this.#now,
      })
    const accident = isFirst ? 'none' : this.#pick(ACCIDENTS)
    this.#damage(accident)
    this.#skew = accident === 'ahead' ? 48 * HOUR : accident === 'behind' ? -48 * HOUR : 0
    const said = [...this.#lies].map(([id, { lie }]) => `${id} ${lie}`).join()
    const report = await this.#run(accident === 'cut')
    this.log.push(
      `${new Date(this.#now + this.#skew).toISOString()} ${said || 'honest'}, ${accident}: ${outcomeOf(report)}`,
    )
    // What was damaged is whole again with the next publication, and not before.
    return report?.outcome === 'published' ? this.faults() : []
  }

  /** Honest runs until one is published, and some more. Says what is still wrong after it. */
  async heal(): Promise<string[]> {
    this.#lies.clear()
    this.#skew = 0
    let published = 0
    for (let runs = 0; runs < 9; runs++) {
      this.#now += HOUR / 2
      const report = await this.#run(false)
      this.log.push(`${new Date(this.#now).toISOString()} honest: ${outcomeOf(report)}`)
      if (report?.outcome === 'published' && ++published === 2) break
    }
    if (published === 0) return ['nine honest runs are refused']
    const assets = this.#assets()
    const lost = this.#coins
      .filter(({ id }) => assets.get(id)?.listing_status !== 'active')
      .map(({ id }) => `${id} is lost`)
    const wrong = this.#coins.flatMap((coin) => {
      const price = assets.get(coin.id)?.price_usd ?? null
      const off = price === null ? Infinity : Math.abs(Math.log(price / this.#truth(coin)))
      return off > Math.log(1.12) ? [`${coin.id} is ${price}, and ${this.#truth(coin)} is right`] : []
    })
    const torn = diagnose(this.root, specs, this.#now).problems.filter(({ severity }) => severity === 'error')
    return [...lost, ...wrong, ...torn.map(({ message }) => message)]
  }

  /** What is published and should not be. */
  faults(): string[] {
    const assets = this.#assets()
    if (assets.size === 0) return []
    return this.#coins.flatMap((coin) => {
      const asset = assets.get(coin.id)
      if (!asset) return [`${coin.id} is not listed`]
      const isMarked = asset.carried !== null || asset.verification_status === 'flagged' || asset.last_seen !== null
      if (asset.price_usd === null || isMarked) return []
      const off = Math.abs(Math.log(asset.price_usd / this.#truth(coin)))
      // One witness may be believed within the limits of the gate; several leave no lie of one of them.
      const limit = coin.isLonely ? 2.2 : 1.25
      return off > Math.log(limit)
        ? [`${coin.id} is ${asset.price_usd} unmarked, and ${this.#truth(coin)} is right`]
        : []
    })
  }

  #assets(): Map<string, Asset> {
    const folder = join(this.root, 'api/mkt/assets')
    const found = new Map<string, Asset>()
    for (const { id } of this.#coins) {
      try {
        const text = readFileSync(join(folder, `${id}.json`), 'utf8')
        found.set(id, z.object({ asset: Asset }).parse(JSON.parse(text)).asset)
      } catch {
        // Damaged on purpose, or not there yet; the next publication makes it anew.
      }
    }
    return found
  }

  #damage(accident: (typeof ACCIDENTS)[number]): void {
    if (accident !== 'lost' && accident !== 'truncated') return
    const files = filesIn(join(this.root, 'api'))
    if (files.length === 0) return
    const file = this.#pick(files)
    this.log.push(`${accident} ${file}`)
    if (accident === 'lost') rmSync(file)
    else truncateSync(file, 20)
  }

  async #run(isCut: boolean): Promise<RunReport | null> {
    const now = this.#now + this.#skew
    const cut = {
      path: 'cut.txt',
      get text(): string {
        throw new Error('power cut')
      },
    }
    try {
      return await snapshot({
        root: this.root,
        kind: 'sample',
        sources: this.#sources(),
        registry: openRegistry({ assets: [] }),
        now,
        wallNow: now,
        elapsed: () => 0,
        signal: new AbortController().signal,
        connect: () => ({
          stats: { requests: 0, retries: 0, bytes: 0 },
          json: () => Promise.reject(new SourceError('source_unreachable', 'nobody')),
          close: async () => {},
        }),
        listings: null,
        history: { perRun: 0, perSource: 0 },
        fresh: false,
        ...(isCut ? { pages: [cut] } : {}),
      })
    } catch (error) {
      if (isCut && error instanceof Error && error.message === 'power cut') return null
      throw error
    }
  }

  #sources(): Source[] {
    const aggregators = ['list', 'index'].map((id) => this.#source(id, 'aggregator'))
    return [...aggregators, ...['alpha', 'beta', 'gamma'].map((id) => this.#source(id, 'exchange'))]
  }

  #source(id: string, type: 'aggregator' | 'exchange'): Source {
    const { lie, since } = this.#lies.get(id) ?? { lie: null, since: 0 }
    const known = this.#coins.filter(({ isLonely }) => !isLonely || id === 'list')
    return {
      id,
      label: id,
      type,
      host: `${id}.example`,
      pace: { requests: 1, perSeconds: 1 },
      rights: OWN_DATA,
      observe: async () => {
        if (lie === 'silent') throw new SourceError('source_timeout', `${id}: silent`)
        const factor = lie === 'tenfold' ? 10 : lie === 'drift' ? 1.29 ** (1 + (this.#now - since) / (HOUR / 2)) : 1
        const of = (coin: Coin) => (lie === 'zero' ? null : this.#truth(coin) * factor)
        const at = lie === 'old' ? this.#now - 30 * HOUR : this.#now
        const rows = known.map((coin, index) => {
          const other = lie === 'swap' ? (known[index ^ 1] ?? coin) : coin
          return type === 'aggregator' ? sightingOf(coin.id, other, of(other), at) : quoteOf(coin, of(coin), at)
        })
        if (lie === 'half') return rows.slice(0, rows.length / 2)
        if (lie === 'repeat') return [...rows, ...rows]
        if (lie === 'broken') return rows.map((row) => ({ kind: 'rejected', row: row.kind, reason: 'broken' }))
        if (lie === 'spam' && type === 'aggregator') return [...rows, ...spam(this.#truth.bind(this), known, at)]
        return rows
      },
    }
  }
}

const outcomeOf = (report: RunReport | null): string =>
  report === null ? 'cut' : [report.outcome, ...report.refusals.map(({ rule }) => rule)].join(' ')

const sightingOf = (id: string, { name, id: own }: Coin, price_usd: number | null, at: number): Sighting => ({
  kind: 'sighting',
  id,
  slugs: [],
  symbol: symbolOf(own),
  name,
  rank: null,
  contracts: [{ platform: 'ethereum', address: addressOf(own), decimals: null }],
  price_usd,
  percent_change_1h: null,
  percent_change_24h: null,
  percent_change_7d: null,
  high_24h_usd: null,
  low_24h_usd: null,
  market_cap_usd: null,
  fully_diluted_valuation_usd: null,
  volume_24h_usd: 1_000_000,
  circulating_supply: 1_000_000,
  total_supply: null,
  max_supply: null,
  ath_usd: null,
  ath_at: null,
  logo_url: null,
  at,
})

const symbolOf = (id: string): string => `C${id.replace(/\D/g, '')}X`
const addressOf = (id: string): string => `0x${id.replace(/\D/g, '').padStart(40, '7')}`

const quoteOf = ({ id }: Coin, last: number | null, at: number): Quote => ({
  kind: 'quote',
  market: `${symbolOf(id)}-USD`,
  base: symbolOf(id),
  quote: 'USD',
  last,
  bid: last,
  ask: last,
  volume_24h_base: last === null ? null : 1_000_000 / last,
  volume_24h_quote: null,
  percent_change_24h: null,
  at,
  trade_url: null,
})

/** As many new coins again, half of them under the names of known ones. */
const spam = (truth: (coin: Coin) => number, known: readonly Coin[], at: number): Sighting[] =>
  known.map((coin, index) => {
    const fake = { ...coin, id: `spam-${index + 1000}`, name: index % 2 === 0 ? coin.name : `Spam ${index}` }
    return sightingOf(fake.id, fake, truth(coin), at)
  })

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
