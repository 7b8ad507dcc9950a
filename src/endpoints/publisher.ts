import * as z from 'zod'
import { ECOSYSTEM, type Ecosystem, PRODUCT } from '../contract/product.ts'
import { readJson } from '../contract/read-json.ts'
import { describedTitle } from './ecosystem.ts'

/** Who publishes a tree, as its index says. */
export interface Publisher {
  readonly product: string
  readonly ecosystem: Ecosystem
}

const Index = z.object({
  product: z.string(),
  endpoints: z.array(z.object({ endpoint: z.string(), description: z.string() })),
})

/** Returns the ecosystem among the endpoints of an index; the built-in one if there is none. */
export function ecosystemIn(endpoints: z.infer<typeof Index>['endpoints']): Ecosystem {
  for (const { endpoint, description } of endpoints) {
    const title = describedTitle(description)
    if (title !== null) return { name: endpoint, title }
  }
  return ECOSYSTEM
}

/** Returns the publisher that the text of an index names; the built-in one if there is no index. */
export function publisherIn(index: string | null): Publisher {
  const read = readJson(index, Index)
  return read
    ? { product: read.product, ecosystem: ecosystemIn(read.endpoints) }
    : { product: PRODUCT, ecosystem: ECOSYSTEM }
}
