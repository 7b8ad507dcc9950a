import { filesInFolder } from '../../src/check/file-inspection.ts'
import type { Finding } from '../../src/check/deviation.ts'
import { verifyTree } from '../../src/check/verify.ts'
import { specs } from '../../src/endpoints/table.ts'
import { NOON } from '../sample-tree.ts'

/** What verify finds in the files of a tree in a folder, without the figures. */
export const fileFindings = async (root: string, now = NOON): Promise<readonly Finding[]> =>
  (await verifyTree(filesInFolder(root), { specs, composition: null, now })).findings

/** The errors among them. A file that somebody put into the tree is none of the program's. */
export const fileErrors = async (root: string, now = NOON): Promise<readonly Finding[]> =>
  (await fileFindings(root, now)).filter(({ severity, check }) => severity !== 'notice' && check !== 'unlisted')
