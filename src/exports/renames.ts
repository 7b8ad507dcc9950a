import { renameFile } from '../contract/paths.ts'
import type { Attachments } from '../endpoints/attachment.ts'

/** Exports one file per retired slug with its replacement, so that file servers can redirect. */
export const renames: Attachments = ({ listings }) =>
  listings.flatMap(({ asset: { slug, replaced_by } }) =>
    replaced_by === null
      ? []
      : [{ path: renameFile(slug).slice(1), text: `${JSON.stringify({ slug, replaced_by })}\n` }],
  )
