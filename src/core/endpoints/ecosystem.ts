import * as z from 'zod'
import { RegistryCounts, EcosystemRow, DexPair } from '../contract/ecosystem.ts'
import { listOf } from '../contract/envelope.ts'
import { ECOSYSTEM, type Ecosystem, PRODUCT } from '../contract/product.ts'
import { readJson } from '../contract/read-json.ts'
import { oneDocument } from './endpoint.ts'

const TITLE = /^Assets of the (.+) ecosystem, with registry counts by verification state\.$/

export function ecosystemAssets<Name extends string>({ name, title }: Ecosystem & { readonly name: Name }) {
  const path: string = `/${name}`
  return oneDocument('Ecosystem', {
    name,
    ...(name === ECOSYSTEM.name ? {} : { operation: 'ecosystem' }),
    path,
    description: `Assets of the ${title} ecosystem, with registry counts by verification state.`,
    members: { registry: RegistryCounts, ...listOf(EcosystemRow) },
    body: ({ ecosystem, registryCounts }) => ({ registry: registryCounts, rows: ecosystem }),
  })
}

const Index = z.object({
  product: z.string(),
  endpoints: z.array(z.object({ endpoint: z.string(), description: z.string() })),
})

export type Publisher = ReturnType<typeof publisherIn>

export function publisherIn(index: string | null) {
  const { product = PRODUCT, endpoints = [] } = readJson(index, Index) ?? {}
  const [ecosystem = ECOSYSTEM] = endpoints.flatMap(({ endpoint, description }): Ecosystem[] => {
    const title = TITLE.exec(description)?.[1]
    return title === undefined ? [] : [{ name: endpoint, title }]
  })
  return { product, ecosystem }
}

export const dexPairs = oneDocument('Ecosystem', {
  name: 'dex-pairs',
  path: '/dex-pairs',
  description: 'Pools of decentralized exchanges that trade listed tokens, by liquidity. Preview.',
  members: listOf(DexPair),
  health: ({ dexHealth }) => dexHealth,
  body: (world) => ({ rows: world.pairs }),
})
