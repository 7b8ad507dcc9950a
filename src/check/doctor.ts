import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { type BlockLayout, blockOf, documentIn, filesIn, folderOfBlock } from '../contract/blocks.ts'
import { type EndpointSpec, answerSchemaOf } from '../contract/endpoint-spec.ts'
import { labelOf } from '../contract/product.ts'
import { parseJson, readJson } from '../contract/read-json.ts'
import { TABLES_FILE, tablesIn } from '../contract/tables.ts'
import { visibleLines } from '../contract/visible.ts'
import { STATE_VERSION } from '../contract/words.ts'
import { hashOf } from '../endpoints/compose.ts'
import { resolve } from '../service/resolve.ts'
import { isUnfinished } from '../tree/journal.ts'
import { LAYOUT, isDocument } from '../tree/layout.ts'
import { lockHolder } from '../tree/lock.ts'
import { ENCODINGS } from '../tree/layout.ts'
import { PublishedIndex, PublishedManifest } from '../tree/published-documents.ts'
import { bytesAt, filesBelow, statsAt, textAt } from '../tree/reader.ts'
import { isCode } from '../tree/tree-error.ts'

/** A problem of a tree and its remedy. */
export interface Problem {
  readonly message: string
  readonly advice: string
  /** A tree with an `error` should not be served. */
  readonly severity: 'error' | 'notice'
}

/** The result of a check of a tree. */
export interface Diagnosis {
  readonly documents: number
  readonly problems: readonly Problem[]
}

const Counted = z.object({ count: z.number(), rows: z.array(z.unknown()) })
const Totalled = z.object({ total: z.number() })

/**
 * Checks a tree in a folder: each document against its schema, counts and digest, unlisted files, precompressed files, the
 * lock, interrupted publications, and the age.
 *
 * @param now in ms since 1970
 */
export function diagnose(root: string, specs: readonly EndpointSpec[], now: number): Diagnosis {
  const index = parsed(root, LAYOUT.index, PublishedIndex)
  const manifest = parsed(root, LAYOUT.manifest, PublishedManifest)
  const rebuild = rebuildCommand(root, index?.label)
  // The schemas are those of the current version.
  const version = index?.stateVersion ?? STATE_VERSION
  const checkable = version === STATE_VERSION ? specs : []
  const missing = [index ? [] : LAYOUT.index, manifest ? [] : LAYOUT.manifest]
    .flat()
    .map((file) => error(`${file} is missing or damaged.`, `Run ${rebuild}, which composes it again.`))
  const digests = new Map(manifest?.rows.map(({ path, sha256 }) => [path, sha256]))
  const listed = new Map<string, string | undefined>([
    ...digests,
    [LAYOUT.index, undefined],
    [LAYOUT.manifest, index?.sha256.manifest],
    [LAYOUT.collector, index?.sha256.collector],
  ])
  const faulty = [...listed].flatMap(([path, sha256]) => {
    const fault = faultOf(root, path, {
      sha256,
      specs: checkable,
      listings: index?.listings,
      layout: index?.layout ?? null,
    })
    return fault === null
      ? []
      : error(
          `${path} ${fault.message}`,
          `${fault.remedy} ${rebuild}, which takes it from the state archive or composes it again, within a day of runs.`,
        )
  })
  return {
    documents: listed.size,
    problems: [
      ...buildProblems(root, now, rebuild),
      ...versionProblems(version, rebuild),
      ...missing,
      ...staleProblems(index, now, rebuild),
      ...faulty,
      ...(manifest ? strayProblems(root, listed) : []),
      ...tableProblems(root),
    ],
  }
}

const error = (message: string, advice: string): Problem => ({ message, advice, severity: 'error' })
const notice = (message: string, advice: string): Problem => ({ message, advice, severity: 'notice' })

const rebuildCommand = (root: string, label: string | undefined): string =>
  `npm run snapshot -- --out ${root}${label === labelOf('sample') ? ' --sources sample' : ''}`

/** Returns the problems of a running, killed or interrupted build. */
function buildProblems(root: string, now: number, rebuild: string): Problem[] {
  const builder = lockHolder(root, now)
  const lock = builder
    ? builder.isAlive
      ? notice(`The tree is being built by ${builder.who}.`, 'Wait until it ends, then check again.')
      : notice(`A lock was left by ${builder.who}.`, 'Nothing to do: the next build removes it.')
    : null
  const interrupted = isUnfinished(root)
    ? error(
        'A publication was interrupted.',
        `Run ${rebuild} or npm run serve: whichever opens the tree next completes it.`,
      )
    : null
  return [interrupted ?? [], lock ?? []].flat()
}

/** Returns the problem of a tree that another version of the program published. */
function versionProblems(version: number, rebuild: string): Problem[] {
  if (version === STATE_VERSION) return []
  const versions = `its state has version ${version}, and this program writes version ${STATE_VERSION}.`
  return version < STATE_VERSION
    ? [
        notice(
          `The tree was published by an earlier version of this program: ${versions}`,
          `Run ${rebuild}, which brings every document to the current form and loses none.`,
        ),
      ]
    : [
        error(
          `The tree was published by a newer version of this program: ${versions}`,
          'Update this program. It refuses to extend this tree, and checked digests only.',
        ),
      ]
}

function staleProblems(index: PublishedIndex | null, now: number, rebuild: string): Problem[] {
  if (!index || now <= Date.parse(index.staleAfter)) return []
  const message = `The tree was built at ${index.generatedAt} and is stale since ${index.staleAfter}.`
  return [notice(message, `Run ${rebuild}, and check why the scheduler did not.`)]
}

/** A fault of one file, and what to do before the tree is built again. */
interface FileFault {
  readonly message: string
  readonly remedy: string
}

/** The values that a document is checked against. */
interface Expected {
  readonly sha256: string | undefined
  readonly specs: readonly EndpointSpec[]
  readonly listings: number | undefined
  readonly layout: BlockLayout | null
}

/** Returns the first fault of a file, or null. */
function faultOf(root: string, path: string, expected: Expected): FileFault | null {
  const content = contentOf(root, path)
  if ('fault' in content) return content.fault
  const { text } = content
  const { sha256, specs, listings } = expected
  const isEdited = sha256 !== undefined && hashOf(text) !== sha256
  const message = isEdited
    ? 'differs from its digest in the manifest: it was edited or damaged.'
    : (documentFault(path, text, specs, listings) ?? blockFault(path, text, expected))
  return message === null ? null : { message, remedy: 'Run' }
}

function documentFault(
  path: string,
  text: string,
  specs: readonly EndpointSpec[],
  listings: number | undefined,
): string | null {
  const found = isDocument(path) ? resolve(specs, 'GET', new URL(`/${path}`, 'http://tree')) : null
  if (found === null || found.kind !== 'document') return null
  const json = parseJson(text)
  const [issue] = answerSchemaOf(found.spec).safeParse(json).error?.issues ?? []
  if (issue) return `does not match its schema: ${issue.path.join('.')}: ${issue.message}.`
  const counted = Counted.safeParse(json)
  if (counted.success && counted.data.count !== counted.data.rows.length)
    return `has a count of ${counted.data.count} and ${counted.data.rows.length} rows.`
  const total = Totalled.safeParse(json).data?.total
  const isOther = total !== undefined && listings !== undefined && total !== listings
  return isOther ? `has a total of ${total} listings, and the index has ${listings}.` : null
}

/** Returns the first fault of a document in a block, or null. */
function blockFault(path: string, text: string, { specs, listings, layout }: Expected): string | null {
  if (folderOfBlock(path) === null) return null
  for (const file of filesIn(text)) {
    if (blockOf(layout, file) !== path) return `holds ${file}, which belongs elsewhere by the index's layout.`
    const fault = documentFault(file, documentIn(text, file) ?? '', specs, listings)
    if (fault !== null) return `holds ${file}, which ${fault}`
  }
  return null
}

function contentOf(root: string, path: string): { readonly text: string } | { readonly fault: FileFault } {
  try {
    const text = textAt(join(root, path))
    if (text !== null) return { text }
    return lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory()
      ? { fault: { message: 'is a folder and not a file.', remedy: 'Run' } }
      : { fault: { message: 'is missing.', remedy: 'Run' } }
  } catch (error) {
    if (isCode(error, 'EACCES') || isCode(error, 'EPERM'))
      return {
        fault: {
          message: 'cannot be read by this user.',
          remedy: 'Give this user the right to read it, or run as its owner',
        },
      }
    throw error
  }
}

/** Returns the problems of files that the manifest does not list, and of outdated precompressed files. */
function strayProblems(root: string, listed: ReadonlyMap<string, unknown>): Problem[] {
  return filesBelow(root, LAYOUT.api).flatMap((file) => {
    const suffix = ENCODINGS.find((suffix) => file.endsWith(suffix)) ?? ''
    const plain = file.slice(0, file.length - suffix.length)
    if (!listed.has(plain))
      return notice(
        `${file} is not listed in the manifest.`,
        file.endsWith('.json') ? 'Nothing to do: the next run removes it.' : 'Delete it: no run removes it.',
      )
    return plain === file || sameTime(join(root, file), join(root, plain))
      ? []
      : error(`${file} is not the compressed form of ${plain} as it is now.`, 'Run npm run compress.')
  })
}

/** Returns the problems of the tables that `/tables` lists. A machine that begins empty has none until they are written. */
function tableProblems(root: string): Problem[] {
  return tablesIn(textAt(join(root, TABLES_FILE))).rows.flatMap(({ path, bytes, sha256 }) => {
    const table = bytesAt(join(root, path))
    if (table === null)
      return notice(`${path} is not here, and /tables lists it.`, 'Run npm run tables before a deployment.')
    return table.length === bytes && hashOf(table) === sha256
      ? []
      : error(`${path} differs from its digest in /tables.`, 'Run npm run tables, which writes it again.')
  })
}

function sameTime(file: string, other: string): boolean {
  const [a, b] = [file, other].map((path) => statsAt(path)?.mtimeMs)
  return a !== undefined && b !== undefined && Math.floor(a) === Math.floor(b)
}

function parsed<Schema extends z.ZodType>(root: string, path: string, schema: Schema): z.infer<Schema> | null {
  const content = contentOf(root, path)
  return 'text' in content ? readJson(content.text, schema) : null
}

const MOST_SHOWN = 20

/** Formats a diagnosis as text: two lines for each problem, errors first. */
export function diagnosisText({ documents, problems }: Diagnosis): string {
  const ordered = problems.toSorted((a, b) => Number(a.severity === 'notice') - Number(b.severity === 'notice'))
  const errors = problems.filter(({ severity }) => severity === 'error').length
  return visibleLines([
    ...ordered
      .slice(0, MOST_SHOWN)
      .flatMap(({ message, advice, severity }) => [`${severity.padEnd(7)} ${message}`, `        ${advice}`]),
    ...(problems.length > MOST_SHOWN ? [`and ${problems.length - MOST_SHOWN} more; --json prints them all`] : []),
    `${documents} documents checked, ${errors} errors`,
  ])
}
