import { changeFeeds } from './changes/feeds.ts'
import { descriptions } from './descriptions/descriptions.ts'
import type { Attachments } from './endpoints/attachment.ts'
import { answered, published } from './endpoints/table.ts'
import { PRODUCT } from './product.ts'

/** What stands in the tree beside the answers of the API, one line each. */
export const attachments: readonly Attachments[] = [changeFeeds(PRODUCT), descriptions(PRODUCT, answered, published)]
