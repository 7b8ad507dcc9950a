import {
  type Stats,
  linkSync,
  lstatSync,
  mkdirSync,
  rmSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
  closeSync,
  fsyncSync,
  openSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ManifestRow } from '../contract/manifest.ts'
import { TreeError, asTreeError, isCode } from './tree-error.ts'
import { stagedFile } from './layout.ts'
import { execFileSync } from 'node:child_process'

const lstatAt = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

/** Creates the root folder of a tree. Returns the first folder that it created for it; undefined: it was there. @throws TreeError `not_writable` */
export function makeRoot(root: string): string | undefined {
  try {
    return mkdirSync(root, { recursive: true })
  } catch (error) {
    if (!isCode(error, 'EEXIST') && !isCode(error, 'ENOTDIR')) throw asTreeError(root, error) ?? error
    throw new TreeError('not_writable', `${root} is not a folder. Choose another folder with --out.`, { cause: error })
  }
}

/** Deletes folders that {@link makeRoot} created, as far as they are empty. */
export function removeEmpty(root: string, first: string | undefined): void {
  if (first === undefined) return
  const least = resolve(first).length
  try {
    for (let folder = resolve(root); folder.length >= least; folder = dirname(folder)) rmdirSync(folder)
  } catch {
    // It is in use.
  }
}

/**
 * Creates the folders of files of a tree. Deletes a file that has the name of a folder, because it cannot be a document.
 *
 * @throws TreeError `not_writable` if a folder is a link, because files below it would be written outside the tree
 */
export function makeFolders(root: string, files: readonly string[]): void {
  const made = new Set(['.'])
  const make = (folder: string): void => {
    if (made.has(folder)) return
    make(dirname(folder))
    const path = join(root, folder)
    const stats = lstatAt(path)
    if (stats?.isSymbolicLink())
      throw new TreeError('not_writable', `${path} is a link, and may lead out of the tree. Replace it with a folder.`)
    if (stats && !stats.isDirectory()) rmSync(path)
    if (!stats?.isDirectory()) mkdirSync(path)
    made.add(folder)
  }
  for (const file of files) make(dirname(file))
}

/** Deletes a file of a tree, and its folder if that is then empty. Keeps a folder and a file behind a link. */
export function removeFile(root: string, file: string): void {
  const folder = dirname(file)
  if (!isPlainFolder(root, folder)) return
  const path = join(root, file)
  if (lstatAt(path)?.isDirectory()) return
  rmSync(path, { force: true })
  try {
    if (folder !== '.') rmdirSync(join(root, folder))
  } catch (error) {
    if (!isCode(error, 'ENOTEMPTY') && !isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error
  }
}

function isPlainFolder(root: string, folder: string): boolean {
  if (folder === '.') return true
  return isPlainFolder(root, dirname(folder)) && (lstatAt(join(root, folder))?.isDirectory() ?? false)
}

type Staged = Pick<ManifestRow, 'path' | 'timestamp'> & { readonly content: string | Uint8Array }

/**
 * Stages a file with the time of its data as modification time, from which hosts derive Last-Modified.
 *
 * @param before the file staged before: one with the same content is a second name of it
 */
export function stage(root: string, { path, content, timestamp }: Staged, before: Staged | null = null): void {
  const target = join(root, stagedFile(path))
  if (before?.content === content && before.timestamp === timestamp && isLinked(root, before.path, target)) return
  writeFileSync(target, content)
  const at = new Date(timestamp)
  utimesSync(target, at, at)
}

/** Gives a staged file a second name; false where the file system has none. A published file is replaced, never changed. */
function isLinked(root: string, path: string, target: string): boolean {
  try {
    linkSync(join(root, stagedFile(path)), target)
    return true
  } catch {
    return false
  }
}

/** From this number of files on, one `sync` of the file system is faster than one per file. */
const MANY = 50

/** Flushes staged files to the disk, so that a power failure loses none of them. */
export function syncStaged(root: string, files: readonly string[]): void {
  if (files.length >= MANY && syncFileSystem(root)) return
  for (const file of files) {
    const descriptor = openSync(join(root, stagedFile(file)), 'r+')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
}

/** Flushes the file system; false if there is no `sync` command. For thousands of files 0.6 s, 2.5 s one by one. */
function syncFileSystem(folder: string): boolean {
  try {
    execFileSync('sync', ['-f', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
