import {
  Daily,
  type DailySeries,
  DailyMembers,
  type DayRange,
  dailyBetween,
  dailyFile,
  dailySlug,
} from '../contract/daily.ts'
import { readJson } from '../contract/read-json.ts'
import { memberIn, textIn } from '../contract/text.ts'
import type { Feed } from '../feed/feed.ts'
import type { Aged } from './daily-plan.ts'
import { type DailyAnswer, type HeldPast, extendDaily, noDays } from './daily-series.ts'
import type { Keyed } from './keyed.ts'
import type { LastDocuments, LastSeries, Readable } from './last-series.ts'
import { priceAt } from './series.ts'

export interface ExtendedDaily extends Keyed<DailySeries> {
  /** What this run held back. */
  readonly held: readonly HeldPast[]
  /** Returns the day of the oldest bar of any listing; null without any. */
  oldest(this: void): string | null
  /** Returns the days of a listing within a range; null without any. */
  between(this: void, slug: string, range: DayRange): DailySeries | null
}

/** Daily bars of a world without any. */
export const NO_DAILY: ExtendedDaily = {
  keys: [],
  held: [],
  isChanged: () => false,
  oldest: () => null,
  between: () => null,
  of: noDays,
}

interface LastDaily extends LastDocuments {
  readonly bySlug: Feed['snapshot']['bySlug']
}

/** Returns the slug under which the daily bars of a listing are published; null if they are not. */
function nameIn({ files, last, bySlug }: LastDaily): (slug: string) => string | null {
  const published = new Set(files.flatMap((file) => dailySlug(file) ?? []))
  return (slug) => {
    const names = [slug, ...(bySlug.get(slug)?.asset.aliases ?? [])].filter((name) => published.has(name))
    const [own = null, ...others] = names
    return others.length === 0 ? own : (names.find((name) => hasDays(last, name)) ?? own)
  }
}

const hasDays = (last: Readable, slug: string): boolean => textIn(last.head(dailyFile(slug)), 'from') !== null

/** Returns a function that reads what is known of a listing's daily bars, from the head of its document. */
export function knownDaily(published: LastDaily): (slug: string) => Aged['known'] {
  const nameOf = nameIn(published)
  return (slug) => {
    const name = nameOf(slug)
    const head = name === null ? '' : published.last.head(dailyFile(name))
    const { data } = DailyMembers.sources.safeParse(memberIn(head, 'sources'))
    return data && data.length > 0 ? { from: textIn(head, 'from'), sources: data } : null
  }
}

/** Arguments of {@link extendedDaily}. */
interface DailyInputs extends LastDaily {
  /** Answers to requests for daily bars, by slug. */
  readonly answers: ReadonlyMap<string, readonly DailyAnswer[]>
  readonly series: LastSeries
  /** Time of the run in ms since 1970. */
  readonly now: number
}

/** Extends the published daily bars by the answers of this run. Those of a delisted asset stay as they are. */
export function extendedDaily({ answers, series, now, ...published }: DailyInputs): ExtendedDaily {
  const { last, bySlug } = published
  const nameOf = nameIn(published)
  const successorOf = (slug: string) => bySlug.get(slug)?.asset.replaced_by ?? null
  const read = (slug: string): DailySeries | null => {
    const name = nameOf(slug)
    const document = name === null ? null : readJson(last.read(dailyFile(name)), Daily)
    return document && { ...document, slug }
  }
  const changed = new Map<string, DailySeries>()
  const held: HeldPast[] = []
  for (const [slug, own] of answers) {
    const year = series.read(slug, 365)
    const knownOn = year ? priceAt(year) : () => null
    const extended = extendDaily({ slug, before: read(slug), answers: own, now, knownOn })
    changed.set(slug, extended.series)
    held.push(...extended.held)
  }
  const hasMoved = (slug: string): boolean => successorOf(slug) !== null && hasDays(last, slug)
  const keys = [...bySlug.keys()].toSorted()
  return {
    keys,
    held,
    isChanged: (slug) => changed.has(slug) || nameOf(slug) !== slug || hasMoved(slug),
    oldest() {
      const fromOf = (slug: string) =>
        changed.get(slug)?.from ?? textIn(last.head(dailyFile(nameOf(slug) ?? '')), 'from')
      return keys.flatMap((slug) => fromOf(slug) ?? []).toSorted()[0] ?? null
    },
    between(slug, range) {
      const file = dailyFile((successorOf(slug) === null && nameOf(slug)) || '')
      // The last days, which runs ask for most often, are in none.
      const isPast = (textIn(last.head(file), 'to') ?? '') >= range.from
      return isPast ? dailyBetween(last.read(file) ?? '', range) : null
    },
    of(slug) {
      const successor = successorOf(slug)
      if (successor !== null) return { ...noDays(slug), notice: `The days are those of ${successor}.` }
      return changed.get(slug) ?? read(slug) ?? noDays(slug)
    },
  }
}
