import { PREFIX } from '../../src/contract/prefix.ts'
import { ECOSYSTEM, PRODUCT } from '../../src/contract/product.ts'
import type { Publisher } from '../../src/endpoints/publisher.ts'
import { type HostProgram, hostProgram } from '../bundled.ts'
import { stating } from '../stating.ts'

/** Returns the program of a host as one file that answers a publisher's API. */
export const bundle = async (
  name: HostProgram,
  publisher: Publisher = { product: PRODUCT, ecosystem: ECOSYSTEM },
): Promise<string> => stating({ API_PREFIX: PREFIX, PUBLISHER: publisher }, await hostProgram(name))
