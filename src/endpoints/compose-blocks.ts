import { by, byKey, groupBy } from '../contract/order.ts'
import { type BlockLayout, type BlockFolder, BLOCK_FOLDERS, blockFile, shardOf } from '../contract/blocks.ts'
import type { EndpointSpec, Key } from '../contract/endpoint-spec.ts'
import type { Endpoint, World } from './endpoint.ts'

export interface Block {
  readonly file: string
  readonly members: readonly { readonly endpoint: Endpoint; readonly key: Key }[]
}

/** Returns the name after the folder in the path of an endpoint's document: its slug or symbol. */
const nameOf = ({ path }: EndpointSpec, key: Key): string => String(key[path.split('/')[2]?.slice(1) ?? ''])

/** Returns the folder that an endpoint's documents are in blocks of, of those in the layout; null: of none. */
export const folderOf = ({ path }: EndpointSpec, among: readonly BlockFolder[] = BLOCK_FOLDERS): BlockFolder | null => {
  const [, folder, parameter = '', last] = path.split('/')
  const isIn = (name?: string) => among.find((one) => one === name)
  return parameter.startsWith(':') ? (isIn(last) ?? isIn(folder) ?? null) : null
}

const foldersIn = (layout: BlockLayout | null): BlockFolder[] => layout?.blocks.map(({ folder }) => folder) ?? []

/** Whether the documents of an endpoint have files of their own. */
export const hasOwnFiles = (endpoint: EndpointSpec, layout: BlockLayout | null): boolean =>
  folderOf(endpoint, foldersIn(layout)) === null

/** Yields the blocks of all folders. Their documents are in the order of their names, so a new rank moves none. */
export function* blocksOf(inputs: BlockInputs): Generator<Block> {
  for (const { folder, shards } of inputs.layout.blocks) yield* blocksIn(folder, shards, inputs)
}

interface BlockInputs {
  readonly endpoints: readonly Endpoint[]
  readonly layout: BlockLayout
  readonly world: World
}

function* blocksIn(folder: BlockFolder, shards: number, { endpoints, layout, world }: BlockInputs): Generator<Block> {
  const own = endpoints.filter((one) => folderOf(one, foldersIn(layout)) === folder).toSorted(by((row) => row.path))
  const all = own.flatMap((endpoint) =>
    Array.from(endpoint.keys(world), (key) => ({ endpoint, key, name: nameOf(endpoint, key) })),
  )
  for (const [shard, members] of [...groupBy(all, ({ name }) => shardOf(name, shards))].toSorted(byKey))
    yield { file: blockFile(folder, shard), members: members.toSorted(by(({ name }) => name)) }
}
