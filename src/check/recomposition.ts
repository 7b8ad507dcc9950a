import type * as z from 'zod'
import { blockOf, folderOfBlock } from '../contract/blocks.ts'
import { candleFile } from '../contract/candles.ts'
import { CLOSES_FILE, ClosesList, ClosesOfDay, closesDay, closesFile } from '../contract/closes.ts'
import { Daily, dailyFile, dailySlug } from '../contract/daily.ts'
import { exampleKey, fileOf } from '../contract/endpoint-spec.ts'
import { seriesFile } from '../contract/history.ts'
import { isPart, manifestLists, startsIn } from '../contract/manifest-parts.ts'
import type { ListedRow, ManifestRow } from '../contract/manifest.ts'
import { by } from '../contract/order.ts'
import { OPENAPI_FILE } from '../contract/paths.ts'
import { RatesOfYear, ratesFile, ratesYear } from '../contract/rates.ts'
import { parseJson, readJson } from '../contract/read-json.ts'
import { TOKEN_PAGES } from '../contract/site-files.ts'
import { TABLES_FILE } from '../contract/tables.ts'
import { isPrintedAnswer, stamped, textIn } from '../contract/text.ts'
import { Totals, totalsFile, totalsGroup } from '../contract/whole-market.ts'
import { type Composition, compose } from '../endpoints/compose.ts'
import { ecosystemIn } from '../endpoints/ecosystem.ts'
import type { Endpoint, World, Written } from '../endpoints/endpoint.ts'
import { worldWithoutPast } from '../endpoints/world-without-past.ts'
import { TOKEN_LIST_FILE } from '../exports/token-list.ts'
import { NOTHING_BEFORE } from '../feed/listing.ts'
import { snapshotOf } from '../feed/snapshot.ts'
import { parseCandles } from '../history/candle-series.ts'
import type { Keyed } from '../history/keyed.ts'
import { NO_CLOSES } from '../history/closes.ts'
import { parseSeries } from '../history/last-series.ts'
import type { Brand } from '../pages/brand.ts'
import { pageDocuments } from '../pages/documents.tsx'
import { looksIn } from '../pages/published-looks.ts'
import { pageFile } from '../pages/site.tsx'
import { unpacked } from '../tree/block-reader.ts'
import { LAYOUT } from '../tree/layout.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison, Deviation } from './deviation.ts'
import type { HistoryFigures } from './history-figures.ts'
import { FILES_AT_ONCE, type PublishedTree } from './published-tree.ts'
import { type EventsByDay, latestOf } from './run-figures.ts'

/** Endpoints whose documents hold past runs: they have checks of their own. */
const NOT_RECOMPOSED = new Set([
  'manifest',
  'history',
  'candles',
  'daily',
  'closes',
  'closes-of-day',
  'rates-of-year',
  'totals',
])

/** Files of the program, which only the manifest describes: scripts and styles of the pages. */
const PROGRAM_FILE = /^(?:ui\/[\w.-]+|embed\.js|404\.html)$/

/**
 * Composes every document again from the recomputed world, `limit` variants, pages, feeds, exports and descriptions
 * included, and compares it with the published one member by member, or line by line. Names each file that the manifest
 * lists and nothing composes.
 */
export async function compareDocuments(
  { endpoints, attachments }: Composition,
  { world: computed, tree: { index, rows }, read }: { world: World; tree: PublishedTree; read: TreeReader },
  comparison: Comparison,
): Promise<void> {
  const { product, layout, snapshotId, sha256 } = index
  const listed = [
    { path: LAYOUT.manifest, sha256: sha256.manifest },
    { path: LAYOUT.collector, sha256: sha256.collector },
    ...rows,
  ]
  const digests = new Map(listed.map((row) => [row.path, row.sha256]))
  const paths = rows.map(({ path }) => path)
  const held = await unpacked('totals', await unpacked('daily', paths, read), read)
  const kept = [...ownPages(computed), ...exampleFiles(endpoints, { ...computed, ...pastIn(held, new Map()) })]
  const isThere = (file: string) => digests.has(file) || blockOf(layout, file) !== null
  const last = await textsOf([...READ_BACK, ...kept.filter(isThere)], read)
  const world: World = { ...computed, ...pastIn(held, last), last: (file) => last.get(file) ?? null }
  const page = await read(MARKET_PAGE)
  const looks = page === null ? null : looksIn(page)
  const ecosystem = ecosystemIn(index.endpoints)
  const pages = looks ? [pageDocuments({ ...looks, product, ecosystem })] : []
  const past = endpoints.filter(({ name }) => NOT_RECOMPOSED.has(name))
  const composition = {
    endpoints: endpoints.filter((one) => !past.includes(one)),
    attachments: [...attachments, ...pages],
  }
  const published: Written = {
    layout,
    ...listedIn(rows),
    sha256: (file) => digests.get(file) ?? '',
    digest: () => snapshotId,
    // Its examples may be older than those of now, and the documentation shows the same.
    openApi: () => last.get(OPENAPI_FILE) ?? null,
  }
  const composed = new Set(
    past.flatMap((endpoint) => [...endpoint.keys(world, published)].map((key) => fileOf(endpoint, key))),
  )
  let comparing: Promise<void>[] = []
  for (const { path, text } of compose(composition, world, {
    product,
    layout: null,
    before: () => undefined,
    starts: [],
    published,
  })) {
    composed.add(path)
    comparing.push(read(path).then((own) => compareTexts(path, own, textLike(own, text ?? '', world.at), comparison)))
    if (comparing.length < FILES_AT_ONCE) continue
    // eslint-disable-next-line no-await-in-loop -- no more texts than these are held
    await Promise.all(comparing)
    comparing = []
  }
  await Promise.all(comparing)
  compareUncomposed(paths, { composed, logo: looks?.brand.logo ?? null }, comparison)
}

/** Returns an answer with the time of the published one, which cannot be recomputed. */
const textLike = (published: string | null, text: string, at: string): string =>
  published !== null && isPrintedAnswer(published) ? stamped(text, at, textIn(published, 'timestamp') ?? at) : text

/** Returns the files of a tree, each once, as they are and as the parts of its manifest should list them. */
function listedIn(all: readonly ListedRow[]): Pick<Written, 'rows' | 'lists' | 'topLists' | 'covering'> {
  const once = new Map<string, ManifestRow>(all.map((row) => [row.path, row]))
  const rows = [...once.values()].filter(({ path }) => !isPart(path)).toSorted(by(({ path }) => path))
  const lists = manifestLists(rows, startsIn(all))
  const covering = (path: string) => once.get(path) ?? { path, bytes: 0, sha256: '', timestamp: '' }
  return { rows, lists: () => lists.all, topLists: () => lists.top, covering }
}

/** Names each file that the manifest lists and nothing composes. */
function compareUncomposed(
  paths: readonly string[],
  { composed, logo }: { readonly composed: ReadonlySet<string>; readonly logo: Brand['logo'] },
  comparison: Comparison,
): void {
  for (const path of paths)
    if (!composed.has(path) && !PROGRAM_FILE.test(path) && folderOfBlock(path) === null && path !== logo?.path)
      comparison.same(path, '', { published: 'a file', recomputed: 'no such file', rule: 'nothing composes it' })
}

const MARKET_PAGE = 'index.html'

/** Files that are composed from what the last publication has of them. */
const READ_BACK = [OPENAPI_FILE, TOKEN_LIST_FILE, TABLES_FILE, CLOSES_FILE]

/** The pages of tokens, exchanges and categories, which keep their figures for some runs. */
const ownPages = ({ listed, venues, categories }: World): string[] => [
  ...listed.slice(0, TOKEN_PAGES.most).map(({ asset }) => pageFile('token', asset.slug)),
  ...[...venues.keys()].map((id) => pageFile('exchanges', id)),
  ...[...categories.keys()].map((id) => pageFile('categories', id)),
]

/** The documents that the description of the API may show as examples, of endpoints that are not composed again. */
const exampleFiles = (endpoints: readonly Endpoint[], world: World): string[] =>
  endpoints
    .filter(({ name, covers }) => NOT_RECOMPOSED.has(name) && !covers)
    .flatMap((endpoint) => {
      const [first] = endpoint.keys(world)
      return [exampleKey(endpoint), first].flatMap((key) => (key ? fileOf(endpoint, key) : []))
    })

/** The past as the files of a tree have it: which candles and closes there are, and the texts of some. */
function pastIn(
  paths: readonly string[],
  texts: ReadonlyMap<string, string>,
): Pick<World, 'candlesOf' | 'closes' | 'daily' | 'pastRates' | 'seriesOf' | 'totals'> {
  const held = <Document>(file: string, parse: (text: string | null) => Document | null): Document => {
    const document = parse(texts.get(file) ?? null)
    if (document === null) throw new Error(`${file} is no example of this tree`)
    return document
  }
  const keyed = <Schema extends z.ZodType>(
    keyIn: (file: string) => string | null,
    fileOf: (key: string) => string,
    schema: Schema,
  ): Keyed<z.infer<Schema>> => ({
    keys: paths.flatMap((file) => keyIn(file) ?? []).toSorted(),
    isChanged: () => false,
    of: (key) => held(fileOf(key), (text) => readJson(text, schema)),
  })
  return {
    candlesOf: (slug, days) => held(candleFile(slug, days), (text) => parseCandles(text, days)),
    seriesOf: (slug, days) => held(seriesFile(slug, days), parseSeries),
    daily: keyed(dailySlug, dailyFile, Daily),
    totals: keyed(totalsGroup, totalsFile, Totals),
    pastRates: keyed(ratesYear, ratesFile, RatesOfYear),
    closes: {
      list: readJson(texts.get(CLOSES_FILE) ?? null, ClosesList) ?? NO_CLOSES.list,
      ...keyed(closesDay, closesFile, ClosesOfDay),
    },
  }
}

async function textsOf(files: readonly string[], read: TreeReader): Promise<ReadonlyMap<string, string>> {
  const texts = await Promise.all(files.map(async (file) => [file, await read(file)] as const))
  return new Map(texts.flatMap(([file, text]) => (text === null ? [] : [[file, text]])))
}

/** An example shows an answer of the time when it was made: the next run may show a newer one. */
const asExample = (deviation: Deviation): Deviation =>
  deviation.document === OPENAPI_FILE && deviation.member.startsWith('components.examples.')
    ? { ...deviation, severity: 'notice' }
    : deviation

function compareTexts(file: string, published: string | null, text: string, comparison: Comparison): void {
  const rule = 'what the recomputed figures make'
  if (published === text) {
    comparison.figures += text.split('\n').length
    return
  }
  if (published === null) {
    comparison.same(file, '', { published: 'no such file', recomputed: 'a document', rule })
    return
  }
  const before = comparison.deviations.length
  const [was, is] = [parseJson(published), parseJson(text)]
  if (was !== undefined && is !== undefined) comparison.deep(file, '', { published: was, recomputed: is, rule })
  const found = comparison.deviations.splice(before)
  comparison.deviations.push(...found.map(asExample))
  if (found.length > 0) return
  // The values are equal but printed differently, or one text is not JSON: name the first line that differs.
  const [lines, expected] = [published.split('\n'), text.split('\n')]
  const at = expected.findIndex((line, place) => line !== lines[place])
  const line = at < 0 ? expected.length : at
  comparison.same(file, `line ${line + 1}`, {
    published: lines[line] ?? 'no such line',
    recomputed: expected[line] ?? 'no such line',
    rule,
  })
}

/** Returns the world that a tree was composed from, computed from the documents of its listings, sources and pools alone. */
export function recomputedWorld(
  tree: PublishedTree,
  histories: ReadonlyMap<string, HistoryFigures>,
  events: EventsByDay,
): World {
  const { index, collector, manifest, ecosystem, requests, listings } = tree
  const snapshot = snapshotOf(
    {
      registry: { assets: ecosystem.map(({ slug, role, protocol }) => ({ slug, ecosystem: { role, protocol } })) },
      previous: NOTHING_BEFORE,
      now: Date.parse(collector.freshness.collectedAt),
      label: index.label,
      nextBuildAt: Date.parse(index.nextBuildAt),
    },
    {
      current: listings,
      pairs: tree.pairs,
      sources: collector.rows,
      rates: collector.referenceRates,
    },
  )
  return {
    ...worldWithoutPast(snapshot),
    sparklineOf: (slug) => histories.get(slug)?.sparkline ?? [],
    withHistory: () => [...histories.values()].filter(({ coversHalf }) => coversHalf).length,
    runs: collector.runs,
    requests,
    changes: {
      days: [...events.keys()],
      events: [],
      latest: latestOf(events),
      rowsOf: (day) => events.get(day) ?? [],
      isChanged: () => false,
    },
    provenance: {
      before: { rowsDigest: manifest.rowsDigest, sha256: '' },
      inputs: manifest.inputs,
      commit: manifest.commit,
    },
  }
}
