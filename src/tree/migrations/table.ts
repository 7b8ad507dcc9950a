import * as z from 'zod'
import { parseJson } from '../../contract/read-json.ts'
import { print } from '../../contract/text.ts'
import type { STATE_VERSION } from '../../contract/words.ts'
import { statedVersion } from './001-stated-version.ts'
import type { Json, Migration } from './migration.ts'

/**
 * The migrations in order: that at place 0 reads version 0. There is one for each version, or this does not compile. Versions
 * 1 and 2 had the manifest in one document and in 128 parts by digest. Every reader still takes them, and no other document
 * differs, so none is changed: the next run divides the manifest.
 */
export const MIGRATIONS = [statedVersion, [], []] as const satisfies readonly Migration[] & {
  readonly length: typeof STATE_VERSION
}

const stepsFor = (file: string, version: number) =>
  MIGRATIONS.slice(version).flatMap((migration) => migration.filter(({ isOf }) => isOf(file)))

/** Whether a migration concerns a file of a tree of this version. */
export const isMigrated = (file: string, version: number): boolean => stepsFor(file, version).length > 0

const Document = z.record(z.string(), z.unknown())

/**
 * Returns the text of a document of an older tree in the current version, and the same text if no migration concerns it.
 *
 * @param version of the tree
 */
export function migrated(file: string, text: string, version: number): string {
  const steps = stepsFor(file, version)
  const document = steps.length > 0 ? Document.safeParse(parseJson(text)).data : undefined
  if (document === undefined) return text
  const now = steps.reduce((before: Json, { migrate }) => migrate(before), document)
  return now === document ? text : print(now)
}
