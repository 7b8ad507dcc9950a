import { PREFIX } from '../../src/contract/prefix.ts'
import { ECOSYSTEM, PRODUCT } from '../../src/contract/product.ts'
import type { Publisher } from '../../src/endpoints/ecosystem.ts'
import { workerProgram } from '../bundled.ts'
import { stating } from '../stating.ts'

/** Returns the Worker as one file that answers a publisher's API. */
export const bundle = async (publisher: Publisher = { product: PRODUCT, ecosystem: ECOSYSTEM }): Promise<string> =>
  stating({ API_PREFIX: PREFIX, PUBLISHER: publisher }, await workerProgram())
