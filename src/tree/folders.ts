import { type Stats, lstatSync, mkdirSync, rmSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TreeError, asTreeError, isCode } from './tree-error.ts'

const lstatAt = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

/** Creates the root folder of a tree. @throws TreeError `not_writable` */
export function makeRoot(root: string): void {
  try {
    mkdirSync(root, { recursive: true })
  } catch (error) {
    if (!isCode(error, 'EEXIST') && !isCode(error, 'ENOTDIR')) throw asTreeError(root, error) ?? error
    throw new TreeError('not_writable', `${root} is not a folder. Choose another folder with --out.`, { cause: error })
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
