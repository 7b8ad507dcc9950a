import { by, byKey } from '../contract/order.ts'
import { type BlockLayout, type BlockFolder, BLOCK_FOLDERS, blockFile, shardOf } from '../contract/blocks.ts'
import type { EndpointSpec, Key } from '../contract/endpoint-spec.ts'
import type { Endpoint, World } from './endpoint.ts'

/** One document of a block. */
interface Member {
  readonly endpoint: Endpoint
  readonly key: Key
}

/** A block to compose. */
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

/** Returns whether a document has a file of its own: always without a layout, else if its listing's rank says so. */
export function ownFileRule(
  { bySlug }: Pick<World, 'bySlug'>,
  layout: BlockLayout | null,
): (endpoint: Endpoint, key: Key) => boolean {
  const folders = foldersIn(layout)
  return (endpoint, key) => {
    const folder = folderOf(endpoint, folders)
    if (layout === null || folder === null) return true
    // A chain, an exchange or a category may be named like a listing.
    if (!('slug' in endpoint.parameters)) return false
    const rank = bySlug.get(nameOf(endpoint, key) ?? '')?.asset.market_cap_rank ?? null
    return rank !== null && rank <= layout.ownFiles
  }
}

/** Yields the blocks of all folders. Their documents are in the order of their names, so a new rank moves none. */
export function* blocksOf(inputs: BlockInputs): Generator<Block> {
  for (const { folder, shards } of inputs.layout.blocks) yield* blocksIn(folder, shards, inputs)
}

/** What blocks are made of. */
interface BlockInputs {
  readonly endpoints: readonly Endpoint[]
  readonly layout: BlockLayout
  readonly world: World
}

function* blocksIn(folder: BlockFolder, shards: number, { endpoints, layout, world }: BlockInputs): Generator<Block> {
  const hasOwnFile = ownFileRule(world, layout)
  const byShard = new Map<number, Map<string, Member[]>>()
  const own = endpoints.filter((one) => folderOf(one, foldersIn(layout)) === folder).toSorted(by((row) => row.path))
  for (const endpoint of own)
    for (const key of endpoint.keys(world)) {
      const name = nameOf(endpoint, key)
      if (name === null || hasOwnFile(endpoint, key)) continue
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
