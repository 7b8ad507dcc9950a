import { type BlockFolder, folderOfBlock } from '../contract/blocks.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { profileSlug } from '../tree/layout.ts'

/**
 * What became of damaged documents that the next run reads back. A document that is only composed from others is none of
 * them: composing it again loses nothing.
 */
export interface Damage {
  /** Read from the checkpoint, with all of their data. */
  readonly recovered: readonly string[]
  /** Published again from what other documents and the sources have, without what only they had. */
  readonly rebuilt: readonly string[]
  /** Published no more. */
  readonly lost: readonly string[]
}

export const NO_DAMAGE: Damage = { recovered: [], rebuilt: [], lost: [] }

const STATE = new RegExp(
  `^${API_FOLDER}/((history|candles|closes|daily|changes|rates)/|assets/[^/]+/markets\\.json$` +
    '|(collector|closes|dex-pairs|listing-requests|quarantine)\\.json$)',
)

/** Folders of blocks whose documents hold it. */
const OF_STATE: readonly (BlockFolder | null)[] = ['assets', 'candles', 'daily', 'history', 'markets']

/** Whether a file holds what a run cannot compose from its sources. */
const isState = (file: string): boolean =>
  STATE.test(file) || profileSlug(file) !== null || OF_STATE.includes(folderOfBlock(file))

/** Returns what became of damaged files. */
export function damageOf(
  files: Iterable<string>,
  recovered: readonly string[],
  isPublished: (file: string) => boolean,
): Damage {
  const isRecovered = new Set(recovered)
  const damaged = [...new Set(files)].filter(isState).toSorted()
  const rest = damaged.filter((file) => !isRecovered.has(file))
  return {
    recovered: damaged.filter((file) => isRecovered.has(file)),
    rebuilt: rest.filter(isPublished),
    lost: rest.filter((file) => !isPublished(file)),
  }
}
