import { changeFeeds } from './changes/feeds.ts'
import { descriptions } from './descriptions/descriptions.ts'
import type { Attachments } from './endpoints/attachment.ts'
import { answered, published } from './endpoints/table.ts'
import { csvFiles } from './exports/csv.ts'
import { ndjsonFiles } from './exports/ndjson.ts'
import { tokenList } from './exports/token-list.ts'
import { PRODUCT } from './product.ts'

/** What stands in the tree beside the answers of the API, one line each. */
export const attachments: readonly Attachments[] = [
  changeFeeds(PRODUCT),
  csvFiles,
  ndjsonFiles,
  tokenList(PRODUCT),
  descriptions(PRODUCT, answered, published),
]
