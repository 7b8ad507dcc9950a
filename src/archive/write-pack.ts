import { gzipSync } from 'node:zlib'
import { sha256Of } from '../contract/digest.ts'
import { type PackIndex, type PackPart, printFooter } from '../contract/pack.ts'
import { groupTexts } from './pack-groups.ts'
import { type Packable, planPack } from './pack-plan.ts'

/** A pack and how to find its index. */
export interface Pack {
  readonly bytes: Buffer
  readonly index: PackPart
}

/** The members of the index document that a pack repeats. */
export interface PackHead {
  readonly generatedAt: string
  readonly staleAfter: string
  readonly snapshotId: string
}

const squeezed = (text: string): Buffer => gzipSync(text, { level: 9, memLevel: 9 })

const partOf = (bytes: Buffer): PackPart => ({ bytes: bytes.length, sha256: sha256Of(bytes) })

/**
 * Packs the documents of a snapshot. Equal documents give equal bytes.
 *
 * @throws ArchiveError `unfit` if a document is not one that the program printed
 */
export function writePack(
  { generatedAt, staleAfter, snapshotId }: PackHead,
  documents: readonly Packable[],
  limits: PackIndex['limits'] = [],
): Pack {
  const { groups: texts, shapes } = groupTexts(planPack(documents))
  const groups = texts.map(({ text }) => squeezed(text))
  const homes = texts
    .flatMap(({ paths }, group) => paths.map((path) => [path, group] as const))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const index: PackIndex = {
    format: 1,
    generatedAt,
    staleAfter,
    snapshotId,
    groups: groups.map(partOf),
    paths: homes.map(([path]) => path),
    homes: homes.map(([, group]) => group),
    shapes,
    limits,
  }
  const packedIndex = squeezed(JSON.stringify(index))
  const part = partOf(packedIndex)
  return { bytes: Buffer.concat([...groups, packedIndex, Buffer.from(printFooter(part))]), index: part }
}
