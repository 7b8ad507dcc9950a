import pLimit from 'p-limit'
import { type Key, answerSchemaOf, limitParameter, fileOf } from '../contract/endpoint-spec.ts'
import { limitVariants } from '../contract/limit-variants.ts'
import { parseJson } from '../contract/read-json.ts'
import { limitEntries, entriesIn, print } from '../contract/text.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Attachments } from '../endpoints/attachment.ts'
import { type Endpoint, type World, type Written, enveloped } from '../endpoints/endpoint.ts'
import type { Comparison } from './deviation.ts'
import { FILES_AT_ONCE, type PublishedTree } from './published-tree.ts'

/** Endpoints whose documents describe other files or past runs, so they cannot be recomputed from the tree. */
const NOT_RECOMPOSED = new Set([
  'manifest',
  'changes-of-day',
  'history',
  'candles',
  'closes',
  'closes-of-day',
  'tables',
])

/** The endpoints of the API, and the exports that repeat their rows. */
export interface Composed {
  readonly endpoints: readonly Endpoint[]
  readonly attachments: readonly Attachments[]
}

interface Recomputed {
  readonly world: World
  readonly tree: PublishedTree
  readonly read: TreeReader
}

/**
 * Composes every document again from the recomputed world, `limit` variants included, and compares it with the published
 * one member by member.
 */
export async function compareDocuments(
  { endpoints, attachments }: Composed,
  { world, tree: { index, manifest }, read }: Recomputed,
  comparison: Comparison,
): Promise<void> {
  const limit = pLimit(FILES_AT_ONCE)
  const written: Written = {
    rows: manifest.rows,
    sha256: (file) => (file.endsWith('/manifest.json') ? index.sha256.manifest : index.sha256.collector),
    digest: () => index.snapshotId,
    openApi: () => null,
  }
  const compare = async ({ file, text, rule }: Expected) => {
    const published = await read(file)
    if (published === text) {
      comparison.figures += figuresIn(text)
      return
    }
    compareTexts(file, published, { text, rule }, comparison)
  }
  const tasks: Promise<void>[] = []
  for (const endpoint of endpoints) {
    if (NOT_RECOMPOSED.has(endpoint.name)) continue
    const schema = answerSchemaOf(endpoint)
    for (const key of endpoint.keys(world))
      tasks.push(
        limit(async () => {
          for await (const expected of expectedOf(endpoint, key, {
            schema,
            product: index.product,
            world,
            written,
            read,
          }))
            await compare(expected)
        }),
      )
  }
  for (const attached of attachments)
    for (const { path, text } of attached(world, written))
      tasks.push(limit(() => compare({ file: path, text, rule: 'the same rows as the JSON document' })))
  await Promise.all(tasks)
}

interface Recomposing {
  readonly product: string
  readonly schema: ReturnType<typeof answerSchemaOf>
  readonly world: World
  readonly written: Written
  readonly read: TreeReader
}

interface Expected {
  readonly file: string
  readonly text: string
  readonly rule: string
}

/** Yields the expected document and its `limit` variants, with the published timestamp, which cannot be recomputed. */
async function* expectedOf(
  endpoint: Endpoint,
  key: Key,
  { schema, product, world, written, read }: Recomposing,
): AsyncGenerator<Expected> {
  const body = endpoint.body(world, key, written)
  const file = fileOf(endpoint, key)
  const timestamp = timestampIn(await read(file)) ?? world.at
  const text = print(
    schema.parse(enveloped(endpoint, key, { world, product, timestamp }, body)),
    endpoint.order?.(world, key),
  )
  yield { file, text, rule: `what /${endpoint.name} is composed of` }
  const parameter = limitParameter(endpoint)
  const entries = entriesIn(body)
  if (parameter === undefined || entries === null) return
  for (const size of limitVariants(entries))
    yield {
      file: fileOf(endpoint, { ...key, [parameter]: size }),
      text: limitEntries(text, size),
      rule: `the first ${size} rows of ${file}`,
    }
}

const timestampIn = (text: string | null): string | undefined =>
  text === null ? undefined : /\n"timestamp":"([^"]*)"/.exec(text)?.[1]

const figuresIn = (text: string): number => text.split('\n').length

function compareTexts(
  file: string,
  published: string | null,
  { text, rule }: { readonly text: string; readonly rule: string },
  comparison: Comparison,
): void {
  if (published === null) {
    comparison.same({ document: file, member: '' }, { published: 'no such file', recomputed: 'a document', rule })
    return
  }
  const before = comparison.deviations.length
  const [was, is] = [parseJson(published), parseJson(text)]
  if (was !== undefined && is !== undefined) comparison.deep(file, { published: was, recomputed: is, rule })
  if (comparison.deviations.length > before) return
  // The values are equal but printed differently, or one text is not JSON: name the first line that differs.
  const [lines, expected] = [published.split('\n'), text.split('\n')]
  const at = expected.findIndex((line, place) => line !== lines[place])
  const line = at < 0 ? expected.length : at
  comparison.same(
    { document: file, member: `line ${line + 1}` },
    { published: lines[line] ?? 'no such line', recomputed: expected[line] ?? 'no such line', rule },
  )
}
