import { siteComposition } from '../../scripts/pages.ts'
import { checkedFiles } from '../../scripts/tree-reader.ts'
import type { Finding } from '../../src/check/deviation.ts'
import { type Verification, verify } from '../../src/check/verify.ts'
import type { Composition } from '../../src/core/endpoints/compose.ts'
import { SITE } from '../sample-tree.ts'

/** Verifies the tree in a folder, as the command does. @param composition what it consists of, if not what its publisher's has */
export const verified = async (
  root: string,
  composition?: Composition,
  slugs: readonly string[] = [],
): Promise<Verification> =>
  verify(checkedFiles(root), {
    compositionOf: async (site) => composition ?? siteComposition(site),
    program: SITE.program,
    slugs,
  })

/** The errors that it finds. A file that somebody put into the tree is none. */
export const errorsIn = async (root: string, composition?: Composition): Promise<readonly Finding[]> =>
  (await verified(root, composition)).findings.filter(({ severity }) => severity !== 'notice')
