import { PREFIX } from '../../src/core/contract/prefix.ts'
import { ECOSYSTEM, PRODUCT } from '../../src/core/contract/product.ts'
import type { Publisher } from '../../src/core/endpoints/ecosystem.ts'
import { workerProgram } from '../bundled.ts'
import { stating } from '../stating.ts'

/** Returns the Worker as one file that answers a publisher's API. */
export const bundle = async (publisher: Publisher = { product: PRODUCT, ecosystem: ECOSYSTEM }): Promise<string> =>
  stating({ API_PREFIX: PREFIX, PUBLISHER: publisher }, await workerProgram())
