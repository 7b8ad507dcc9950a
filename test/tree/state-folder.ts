import { copyFileSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Checkpoint } from '../../src/tree/checkpoint.ts'
import { newFolder } from '../sample-tree.ts'

/** The pointer of a tree's checkpoint. */
export const pointerIn = (root: string): Checkpoint =>
  Checkpoint.parse(JSON.parse(readFileSync(join(root, 'state/latest.json'), 'utf8')))

/** A new folder with the checkpoint of a tree alone, as a cache keeps it. */
export function checkpointOf(root: string): string {
  const folder = newFolder()
  mkdirSync(join(folder, 'state'))
  for (const name of readdirSync(join(root, 'state')))
    copyFileSync(join(root, 'state', name), join(folder, 'state', name))
  return folder
}
