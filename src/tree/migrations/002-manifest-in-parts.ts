import type { Migration } from './migration.ts'

/**
 * Trees whose manifest lists every file in one document. Every reader still takes it, and no other document differs, so none
 * is changed: the next run writes the parts.
 */
export const manifestInParts: Migration = []
