import { renameFile } from '../contract/paths.ts'
import type { Attachments } from '../endpoints/attachment.ts'

/** One file for each slug that was given up, with the slug that replaced it: what a host needs to know to redirect. */
export const renames: Attachments = ({ listings }) =>
  listings.flatMap(({ asset: { slug, replaced_by } }) =>
    replaced_by === null
      ? []
      : [{ path: renameFile(slug).slice(1), text: `${JSON.stringify({ slug, replaced_by })}\n` }],
  )
