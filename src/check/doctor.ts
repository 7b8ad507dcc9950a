import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { type EndpointSpec, answerSchemaOf } from '../contract/endpoint-spec.ts'
import { ManifestRow } from '../contract/manifest.ts'
import { visibleLines } from '../contract/visible.ts'
import { PREFIX } from '../contract/words.ts'
import { hashOf } from '../endpoints/compose.ts'
import { builderOf } from '../tree/lock.ts'
import { Tree } from '../tree/tree.ts'
import { TWINS } from '../tree/precompressed.ts'
import { resolve } from '../service/resolve.ts'

/** Something that is not as it should be, and what to do about it. */
export interface Finding {
  readonly what: string
  readonly advice: string
  /** Whether the tree should not be served so. */
  readonly grave: boolean
}

/** What a doctor found. */
export interface Diagnosis {
  readonly documents: number
  readonly findings: readonly Finding[]
}

const API = PREFIX.slice(1)
const Manifest = z.object({ rows: z.array(ManifestRow) })
const Index = z.object({
  staleAfter: IndexMembers.staleAfter,
  generatedAt: IndexMembers.generatedAt,
  listings: IndexMembers.listings,
  sha256: IndexMembers.sha256,
})
const Counted = z.object({ count: z.number(), rows: z.array(z.unknown()) })
const Totalled = z.object({ total: z.number() })

const REBUILD = 'run npm run snapshot: it makes anew what is damaged or missing'

/**
 * Checks a tree in a folder: every document against its schema, its counts and its digest, what no manifest names, the lock,
 * a cut publication, the age.
 *
 * @param now in ms since 1970
 */
export function diagnose(root: string, specs: readonly EndpointSpec[], now: number): Diagnosis {
  const findings: Finding[] = []
  const note = (what: string, advice: string, grave = true) => void findings.push({ what, advice, grave })
  if (Tree.isUnfinished(root))
    note(
      'a publication was cut off',
      'run npm run serve or npm run snapshot: whichever opens the tree next finishes it',
    )
  const builder = builderOf(root, now)
  if (builder?.isAlive) note(`it is being built by ${builder.who}`, 'wait for it to end and look again', false)
  else if (builder) note(`a lock was left by ${builder.who}`, 'nothing: the next build takes it over', false)

  const index = read(root, `${API}.json`, Index)
  const manifest = read(root, `${API}/manifest.json`, Manifest)
  if (!index) note(`${API}.json is missing or damaged`, REBUILD)
  if (!manifest) note(`${API}/manifest.json is missing or damaged`, REBUILD)
  if (index && now > Date.parse(index.staleAfter))
    note(
      `the tree is of ${index.generatedAt} and stale since ${index.staleAfter}`,
      'run npm run snapshot, and see why the scheduler did not',
      false,
    )

  const named = new Map(manifest?.rows.map(({ path, sha256 }) => [path, sha256]))
  const own: readonly (readonly [string, string | undefined])[] = [
    [`${API}.json`, undefined],
    [`${API}/manifest.json`, index?.sha256.manifest],
    [`${API}/collector.json`, index?.sha256.collector],
  ]
  let documents = 0
  for (const [path, sha256] of [...named, ...own]) {
    const fault = faultOf(root, path, sha256, specs, index?.listings)
    documents++
    if (fault !== null) note(`${path} ${fault}`, REBUILD)
  }
  const known = new Set([...named.keys(), ...own.map(([path]) => path)])
  for (const file of filesBelow(root, API)) {
    const plain = TWINS.reduce((name, twin) => (name.endsWith(twin) ? name.slice(0, -twin.length) : name), file)
    if (!known.has(plain))
      note(`${file} is named by no manifest`, 'the next snapshot removes it if it is a document; remove it else', false)
    else if (
      plain !== file &&
      Math.floor(statSync(join(root, file)).mtimeMs) !== Math.floor(statSync(join(root, plain)).mtimeMs)
    )
      note(`${file} is older than its file`, 'run npm run compress')
  }
  return { documents, findings }
}

/** What is wrong with one file; null where nothing is. */
function faultOf(
  root: string,
  path: string,
  sha256: string | undefined,
  specs: readonly EndpointSpec[],
  listings: number | undefined,
): string | null {
  const file = join(root, path)
  if (!existsSync(file)) return 'is missing'
  const text = readFileSync(file, 'utf8')
  if (sha256 !== undefined && hashOf(text) !== sha256) return 'is not what the manifest says'
  const found =
    path.startsWith(API) && path.endsWith('.json') ? resolve(specs, 'GET', new URL(`/${path}`, 'http://tree')) : null
  if (found === null || found.kind !== 'document') return null
  const json = jsonOf(text)
  const [issue] = answerSchemaOf(found.spec).safeParse(json).error?.issues ?? []
  if (issue) return `breaks its schema: ${issue.path.join('.')}: ${issue.message}`
  const counted = Counted.safeParse(json)
  if (counted.success && counted.data.count !== counted.data.rows.length)
    return `says it has ${counted.data.count} rows and has ${counted.data.rows.length}`
  const total = Totalled.safeParse(json).data?.total
  return total !== undefined && listings !== undefined && total !== listings
    ? `says there are ${total} listings, and the index ${listings}`
    : null
}

function read<Schema extends z.ZodType>(root: string, path: string, schema: Schema): z.infer<Schema> | null {
  const file = join(root, path)
  return existsSync(file) ? (schema.safeParse(jsonOf(readFileSync(file, 'utf8'))).data ?? null) : null
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema that the caller holds it against says so.
    return undefined
  }
}

const filesBelow = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [join(entry.parentPath, entry.name).slice(join(root, '/').length)] : [],
      )
    : []

/** The diagnosis for a person. */
export function diagnosisText({ documents, findings }: Diagnosis): string {
  const most = 20
  return visibleLines([
    ...findings
      .slice(0, most)
      .flatMap(({ what, advice, grave }) => [`${grave ? 'FAULT' : 'note '}  ${what}`, `       ${advice}`]),
    ...(findings.length > most ? [`and ${findings.length - most} more`] : []),
    `${documents} documents checked, ${findings.filter(({ grave }) => grave).length} faults`,
  ])
}
