import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import { STATE_VERSION, StateVersion } from '../contract/words.ts'
import { TreeError } from './tree-error.ts'

const Stated = z.looseObject({ stateVersion: StateVersion.default(0) })

/** Returns the version of the state that a document states; null if it is missing or not JSON. */
export const versionIn = (text: string | null): number | null => readJson(text, Stated)?.stateVersion ?? null

/**
 * Refuses a publication of a newer program. It may keep its past in a form that this program takes for damage.
 *
 * @param place folder or site of the publication
 * @throws TreeError `newer_state`
 */
export function refuseNewer(place: string, version: number): void {
  if (version <= STATE_VERSION) return
  throw new TreeError(
    'newer_state',
    `${place} was published by a newer version of this program: its state has version ${version}, and this program reads ` +
      `versions up to ${STATE_VERSION}. Nothing was changed. Update this program and run again.`,
  )
}
