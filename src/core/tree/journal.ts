import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { ManifestRow } from '../contract/manifest.ts'
import { readJson } from '../contract/read-json.ts'
import { makeFolders, removeFile } from './folders.ts'
import { ENCODINGS, LAYOUT, WORK, originalOf, stagedFile } from './layout.ts'
import { bytesAt, textAt } from './reader.ts'
import { isCode } from './tree-error.ts'

const { path: TreePath, sha256: Sha256 } = ManifestRow.shape

/** The files that a publication moves into the tree, with their SHA-256, and those that it deletes. */
const Journal = z.object({
  put: z.array(z.tuple([TreePath, Sha256]).readonly()).readonly(),
  drop: z.array(TreePath).readonly(),
})
type Journal = z.infer<typeof Journal>

/** Whether a publication into this folder was interrupted. The next process that opens the tree completes it. */
export const isUnfinished = (root: string): boolean => existsSync(join(root, WORK.journal))

export const clearStaging = (root: string): void => rmSync(join(root, WORK.staging), { recursive: true, force: true })

export function emptyStaging(root: string): void {
  clearStaging(root)
  mkdirSync(join(root, WORK.staging))
}

/** Publishes the staged files. The rename of the journal commits it; if the rest is interrupted, {@link recover} completes it. */
export function commit(root: string, journal: Journal): void {
  const staged = join(root, WORK.staging, WORK.journal)
  writeFileSync(staged, JSON.stringify(journal), { flush: true })
  renameSync(staged, join(root, WORK.journal))
  apply(root, journal)
}

/**
 * Completes an interrupted publication. If a power failure lost staged files, or the journal cannot be read, the old
 * documents stay and the manifest is deleted, because it may no longer match them.
 */
export function recover(root: string): void {
  const text = textAt(join(root, WORK.journal))
  if (text === null) {
    rmSync(join(root, WORK.journal), { recursive: true, force: true })
    clearStaging(root)
    return
  }
  const journal = readJson(text, Journal)
  const isWhole = journal?.put.every(([file, sha256]) => {
    const staged = bytesAt(join(root, stagedFile(file))) ?? bytesAt(join(root, file))
    return staged !== null && sha256Of(staged) === sha256
  })
  const completed = journal && isWhole ? journal : { put: [], drop: [LAYOUT.manifest] }
  const files = completed.put.map(([file]) => file)
  makeFolders(root, files)
  apply(root, completed)
}

function apply(root: string, { put, drop }: Journal): void {
  const dropped = new Set(drop)
  for (const [file] of put) {
    // Hosts would send the old content to clients that accept an encoding.
    for (const twin of twinsOf(file)) if (dropped.has(twin)) rmSync(join(root, twin), { force: true })
    move(join(root, stagedFile(file)), join(root, file))
  }
  for (const file of drop) for (const gone of [...twinsOf(file), file]) removeFile(root, gone)
  clearStaging(root)
  rmSync(join(root, WORK.journal), { force: true })
}

/** The precompressed files of a document; none of a precompressed file. */
const twinsOf = (file: string): string[] => (originalOf(file) === file ? ENCODINGS.map((suffix) => file + suffix) : [])

/**
 * Moves a staged file to its place, unless that was done before an interruption. Deletes a folder that has its name,
 * because it cannot be a document.
 */
function move(staged: string, target: string): void {
  try {
    renameSync(staged, target)
  } catch (error) {
    if (isCode(error, 'ENOENT') && existsSync(target)) return
    if (!lstatSync(target, { throwIfNoEntry: false })?.isDirectory() || !existsSync(staged)) throw error
    rmSync(target, { recursive: true })
    renameSync(staged, target)
  }
}
