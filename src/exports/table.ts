import { changeFeeds } from '../changes/feeds.ts'
import { descriptions } from '../descriptions/descriptions.ts'
import type { Attachments } from '../endpoints/attachment.ts'
import { answered, published } from '../endpoints/table.ts'
import { csvFiles } from './csv.ts'
import { ndjsonFiles } from './ndjson.ts'
import { renames } from './renames.ts'
import { tokenList } from './token-list.ts'
import { PRODUCT } from '../contract/product.ts'

/** All files of the tree beside the answers of the API. */
export const attachments: readonly Attachments[] = [
  changeFeeds(PRODUCT),
  csvFiles,
  ndjsonFiles,
  tokenList(PRODUCT),
  renames,
  descriptions(PRODUCT, answered, published),
]
