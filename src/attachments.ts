import type { Attachments } from './endpoints/attachment.ts'

/** What stands in the tree beside the answers of the API, one line each. */
export const attachments: readonly Attachments[] = []
