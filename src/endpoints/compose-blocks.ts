import { by, byKey } from '../contract/order.ts'
import { type BlockLayout, type BlockFolder, BLOCK_FOLDERS, blockFile, shardOf } from '../contract/blocks.ts'
import type { EndpointSpec, Key } from '../contract/endpoint-spec.ts'
import type { Endpoint, World } from './endpoint.ts'

interface Member {
  readonly endpoint: Endpoint
  readonly key: Key
}

export interface Block {
  readonly file: string
  readonly members: readonly Member[]
}

/** Returns the name after the folder in the path of an endpoint's document: its slug or symbol. */
function nameOf({ path }: EndpointSpec, key: Key): string | null {
  const parameter = path.split('/')[2] ?? ''
  return parameter.startsWith(':') ? String(key[parameter.slice(1)]) : null
}

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
  const byShard = new Map<number, Map<string, Member[]>>()
  const own = endpoints.filter((one) => folderOf(one, foldersIn(layout)) === folder).toSorted(by((row) => row.path))
  for (const endpoint of own)
    for (const key of endpoint.keys(world)) {
      const name = nameOf(endpoint, key)
      if (name === null) continue
      const shard = shardOf(name, shards)
      const names = byShard.get(shard) ?? new Map<string, Member[]>()
      const members = names.get(name) ?? []
      members.push({ endpoint, key })
      byShard.set(shard, names.set(name, members))
    }
  for (const [shard, names] of [...byShard].toSorted(byKey)) {
    const members = [...names].toSorted(byKey).flatMap(([, own]) => own)
    yield { file: blockFile(folder, shard), members }
  }
}
