import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BLOCKS, filesIn, folderOfBlock } from '../contract/blocks.ts'
import { readJson } from '../contract/read-json.ts'
import { isPrintedAnswer } from '../contract/text.ts'
import { Checkpoint } from './checkpoint.ts'
import { isUnfinished } from './journal.ts'
import { CHECKPOINT, LAYOUT, isDocument } from './layout.ts'
import { filesBelow, textAt } from './reader.ts'
import { TreeError, asTreeError } from './tree-error.ts'

/** Whether a file of a tree is a document or a block that this program wrote. */
function isOwn(root: string, file: string): boolean {
  if (folderOfBlock(file) !== null) return filesIn(textAt(join(root, file)) ?? '').length > 0
  return isDocument(file) && isPrintedAnswer(textAt(join(root, file)) ?? '')
}

/** Returns the documents and blocks of a tree that this program wrote, for a tree that has lost its list of them. */
export const ownFiles = (root: string): readonly string[] =>
  [LAYOUT.index, ...filesBelow(root, LAYOUT.api), ...filesBelow(root, BLOCKS)].filter((file) => isOwn(root, file))

/** Names in the root of a tree that others than a publication write: a checkpoint, files of a host, a disk of its own. */
const OTHERS = new Set<string>([CHECKPOINT.folder, '_headers', 'HOSTING.md', 'lost+found'])

/**
 * Refuses a folder with files and without a published tree, because a publication would overwrite what has the name of one
 * of its files.
 *
 * @throws TreeError `foreign` with the first of them
 */
export function refuseForeign(root: string): void {
  const first = firstForeign(root)
  if (first === undefined || isTree(root)) return
  throw new TreeError(
    'foreign',
    `${root} holds ${first}, and no published tree. Choose an empty folder, or the folder of a tree.`,
  )
}

function firstForeign(root: string): string | undefined {
  try {
    const names = readdirSync(root).filter((name) => !name.startsWith('.') && !OTHERS.has(name))
    for (const name of names.toSorted()) {
      const file = filesBelow(root, name)[0] ?? (textAt(join(root, name)) === null ? undefined : name)
      if (file !== undefined) return file
    }
    return undefined
  } catch (error) {
    // A folder that does not exist, or is none, is reported where it is created.
    if (asTreeError(root, error) === null) return undefined
    throw error
  }
}

const isTree = (root: string): boolean =>
  isUnfinished(root) ||
  isOwn(root, LAYOUT.index) ||
  readJson(textAt(join(root, CHECKPOINT.pointer)), Checkpoint) !== null ||
  ownFiles(root).length > 0
