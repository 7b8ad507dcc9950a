import { DAY_MS, dayOf } from '../contract/time.ts'
import { closesDay } from '../contract/closes.ts'
import { folderOfBlock } from '../contract/blocks.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { GATE, type Refusal } from '../feed/gate-rules.ts'
import { timestampOf } from '../history/grid.ts'

/** A file of a publication, with its size. */
type SizedFile = Pick<ManifestRow, 'path' | 'bytes'>

/** What is compared, by the folder of its documents. */
const PASTS = [
  ['history', 'the history of prices'],
  ['candles', 'the candles'],
  ['closes', 'the daily closes'],
  ['daily', 'the daily bars'],
  ['rates', 'the rates of past days'],
] as const

/** Bytes by which the head of a document may shrink: it names the sources that give no answer, while they do not. */
const HEAD_BYTES = 400

/** Arguments of {@link historyFall}. */
interface Publications {
  /** Files of the last publication, with the sizes that they had then. */
  readonly before: readonly SizedFile[]
  readonly after: readonly SizedFile[]
  /** Times of the last publication, 0 if unknown, and of this run, in ms since 1970. */
  readonly publishedAt: number
  readonly now: number
  /** Whether the shortest ranges have buckets of another width from now on, because the cadence changed. */
  readonly isRegridded: boolean
  /** Days of closes that stay in the tree; null: all. */
  readonly keptDays: number | null
  /** Files that could not be read back. */
  readonly unreadable: readonly string[]
}

/**
 * Returns the refusal of a publication whose documents of the past are much smaller than those of the last one; null if
 * they are not. Sizes are compared, because they are known of documents that are damaged. Retention, a change of the cadence
 * and the time since the last publication are allowed for; a renamed listing takes its rows with it, and a delisted one keeps them.
 */
export function historyFall(publications: Publications): Refusal | null {
  const { before, after, publishedAt, now, isRegridded, keptDays, unreadable } = publications
  const daysWithout = isRegridded ? 1 : Math.min(1, Math.max(0, now - publishedAt) / DAY_MS)
  const oldestDay = keptDays === null ? '' : dayOf(now - (keptDays - 1) * DAY_MS)
  for (const [folder, what] of PASTS) {
    const isOf = ({ path }: SizedFile) =>
      path.endsWith('.json') &&
      (path.startsWith(`${API_FOLDER}/${folder}/`) || folderOfBlock(path) === folder) &&
      (closesDay(path) ?? '9999') >= oldestDay
    const held = before.filter(isOf)
    const [had, has] = [held, after.filter(isOf)].map((files) => files.reduce((sum, { bytes }) => sum + bytes, 0))
    // These have no window that moves.
    const moved = ['closes', 'daily', 'rates'].includes(folder) ? 0 : GATE.history_window_percent * daysWithout
    const limit = GATE.history_fall_percent + moved
    const fall = had ? (100 * (had - (has ?? 0))) / had : 0
    if (fall <= limit || (had ?? 0) - (has ?? 0) <= HEAD_BYTES * held.length) continue
    const [first] = unreadable
    const why =
      first === undefined ? '' : `; ${unreadable.length} documents could not be read back, the first is ${first}`
    return {
      rule: 'history_fall',
      message:
        `${what} would shrink from ${kib(had)} to ${kib(has)}, by ${Math.round(fall)} %, and the limit is ` +
        `${Math.round(limit)} %${why}`,
      since: timestampOf(now),
      release: 'It ends when the folder or its checkpoint is restored from a copy of the last publication',
    }
  }
  return null
}

const kib = (bytes = 0): string => `${Math.round(bytes / 1024)} KiB`

/** Throws the refusal of a publication once its last document is composed: nothing is published then. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}
