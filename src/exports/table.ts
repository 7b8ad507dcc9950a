import { changeFeeds } from '../changes/feeds.ts'
import { ECOSYSTEM, type Ecosystem, PRODUCT, isBuiltIn } from '../contract/product.ts'
import { descriptions } from '../descriptions/descriptions.ts'
import type { Attachments } from '../endpoints/attachment.ts'
import type { Composition } from '../endpoints/compose.ts'
import { endpointsOf } from '../endpoints/table.ts'
import { csvFiles } from './csv.ts'
import { metrics } from './metrics.ts'
import { ndjsonFiles } from './ndjson.ts'
import { otherPrograms } from './other-programs.ts'
import { renames } from './renames.ts'
import { tokenList } from './token-list.ts'

/** Returns everything that a publisher's tree has: the answers of the API, and the files beside them. */
export const compositionOf = (product: string, ecosystem: Ecosystem): Composition =>
  product === PRODUCT && isBuiltIn(ecosystem) ? BUILT_IN : composed(product, ecosystem)

function composed(product: string, ecosystem: Ecosystem): Composition {
  const { published, answered } = endpointsOf(ecosystem)
  return {
    endpoints: published,
    attachments: [
      changeFeeds(product),
      csvFiles,
      ndjsonFiles,
      tokenList(product),
      otherPrograms,
      renames,
      descriptions(product, answered, published),
      // Last: it has the time of the newest file before it.
      metrics,
    ],
  }
}

/** What is published where the publisher chose no name. */
export const BUILT_IN: Composition = composed(PRODUCT, ECOSYSTEM)

/** All files of the tree beside the answers of the API. */
export const attachments: readonly Attachments[] = BUILT_IN.attachments
