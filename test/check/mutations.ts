import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Of } from '../../src/contract/digest.ts'
import type { CheckedFiles } from '../../src/check/file-inspection.ts'
import { type Verification, verifyTree } from '../../src/check/verify.ts'
import { type Json, jsonOf, print, printValue } from '../../src/contract/text.ts'
import type { Composition } from '../../src/endpoints/compose.ts'
import { specs } from '../../src/endpoints/table.ts'
import { BUILT_IN } from '../../src/exports/table.ts'
import { UNLISTED } from '../../src/tree/layout.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { NOON } from '../sample-tree.ts'
import { manifestTexts, rowsIn } from '../tree/manifest-texts.ts'

/** The files of a tree, by path. */
export type Files = ReadonlyMap<string, Buffer>

export const filesOf = (root: string): Files =>
  new Map(
    filesBelow(root, '')
      .filter((path) => !path.split('/').some((name) => name.startsWith('.')))
      .map((path) => [path, readFileSync(join(root, path))]),
  )

/** The files as a tree in memory. */
export const treeOf = (files: Files): CheckedFiles => ({
  bytes: async (file) => files.get(file) ?? null,
  list: [...files.keys()],
  root: null,
})

/** Verifies files as a tree of this composition; null: without recomputing its figures. */
export const verified = (
  files: Files,
  { composition = BUILT_IN }: { readonly composition?: Composition | null } = {},
): Promise<Verification> => verifyTree(treeOf(files), { specs, composition, now: NOON })

/**
 * Returns the files with the digests that they have now, as someone leaves them who changes a file and then writes right
 * digests of it: rows of the manifest, its own digest, and the id of the snapshot.
 */
export function forged(files: Files): Files {
  const result = new Map(files)
  const textIn = (file: string) => result.get(file)?.toString() ?? ''
  const before = rowsIn(textIn)
  const known = new Set([...UNLISTED, ...before.map(({ path }) => path)])
  const rows = [
    ...before,
    ...[...files.keys()]
      .filter((path) => !known.has(path) && !/^(state|tables)\/|\.(gz|br)$|^_headers$/.test(path))
      .map((path) => ({ path, bytes: 0, sha256: '', timestamp: '2026-11-20T12:00:00Z' })),
  ].flatMap((row) => {
    const content = result.get(row.path)
    return content === undefined ? [] : [{ ...row, bytes: content.length, sha256: sha256Of(content) }]
  })
  for (const [file, text] of manifestTexts(textIn, rows)) result.set(file, Buffer.from(text))
  return result
}

/** One change of a document: of which file below `api/`, of which member, from what to what. */
interface MemberEdit {
  readonly file: string
  /** `rows[0].price_usd`, `rows[slug=bitcoin].price_usd`, `asset.name`. */
  readonly member: string
  readonly change: (value: Json) => Json
}

/** One change of a file of the tree; null: there is none, or it is removed. */
interface FileEdit {
  readonly path: string
  readonly change: (content: Buffer | null) => Buffer | null
}

export type Edit = MemberEdit | FileEdit

export const edit = (file: string, member: string, change: MemberEdit['change']): Edit => ({ file, member, change })
export const rewrite = (path: string, change: (text: string) => string): Edit => ({
  path,
  change: (content: Buffer | null) => Buffer.from(change(content?.toString() ?? '')),
})
export const remove = (path: string): Edit => ({ path, change: () => null })
export const flipBit = (path: string, share = 0.5): Edit => ({
  path,
  change: (content: Buffer | null) => {
    const bytes = Buffer.from(content ?? [])
    const place = Math.floor(bytes.length * share)
    bytes[place] = (bytes[place] ?? 0) ^ 1
    return bytes
  },
})

/** The files of a tree with these changes. Throws where a change changes nothing. */
export function mutated(files: Files, edits: readonly Edit[]): Files {
  const result = new Map(files)
  for (const one of edits) {
    const path = 'path' in one ? one.path : `api/${one.file}`
    const content = result.get(path) ?? null
    const edited = 'path' in one ? one.change(content) : inFile(path, content, one)
    if (edited === null ? content === null : content?.equals(edited)) throw new Error(`${path} stays as it is`)
    if (edited === null) result.delete(path)
    else result.set(path, edited)
  }
  return result
}

function inFile(path: string, content: Buffer | null, { member, change }: MemberEdit): Buffer {
  if (content === null) throw new Error(`the tree has no document ${path}`)
  const edited = path.endsWith('.ndjson') ? inLines : inDocument
  return Buffer.from(edited(content.toString(), member, change))
}

const inDocument = (text: string, member: string, change: MemberEdit['change']): string => {
  const document = withMember(jsonOf(JSON.parse(text)), pathOf(member), change)
  if (!isRecord(document)) throw new Error('a document is an object')
  return print(document)
}

const inLines = (text: string, member: string, change: MemberEdit['change']): string => {
  const rows = text.split('\n').flatMap((line) => (line === '' ? [] : [jsonOf(JSON.parse(line))]))
  const { rows: edited } = { ...asRecord(withMember({ rows }, pathOf(member), change)) }
  return Array.isArray(edited) ? edited.map((row) => `${printValue(row)}\n`).join('') : text
}

type Step = { readonly name: string } | { readonly index: number } | { readonly key: string; readonly value: string }

const pathOf = (member: string): Step[] =>
  [...member.matchAll(/\[(\w+)=([^\]]+)\]|\[(\d+)\]|([\w-]+)/g)].map(([, key, value, index, name]) =>
    key !== undefined && value !== undefined
      ? { key, value }
      : index !== undefined
        ? { index: Number(index) }
        : { name: name ?? '' },
  )

function withMember(value: Json, [step, ...rest]: readonly Step[], change: MemberEdit['change']): Json {
  if (step === undefined) return change(value)
  if ('name' in step) {
    const record = asRecord(value)
    return { ...record, [step.name]: withMember(record[step.name] ?? null, rest, change) }
  }
  if (!Array.isArray(value)) throw new Error('no list')
  const at = 'index' in step ? step.index : value.findIndex((row) => isRecord(row) && row[step.key] === step.value)
  const old: Json | undefined = value[at]
  if (old === undefined) throw new Error(`no row ${JSON.stringify(step)}`)
  return value.with(at, withMember(old, rest, change))
}

const isRecord = (value: Json): value is { readonly [member: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function asRecord(value: Json): { readonly [member: string]: Json } {
  if (!isRecord(value)) throw new Error('no object')
  return value
}

/** Documents that repeat the row of an asset, with the path of the row in each. */
const ROWS = [
  ['mkt/assets.json', 'rows[slug=%]'],
  ['mkt/markets.json', 'rows[slug=%]'],
  ['mkt/markets.ndjson', 'rows[slug=%]'],
  ['mkt/assets.ndjson', 'rows[slug=%]'],
  ['mkt/assets/%.json', 'asset'],
] as const

/** The same change of a member in every document that repeats it: no document contradicts another. */
export const everywhere = (
  slug: string,
  member: string,
  change: MemberEdit['change'],
  wide: 'lists' | 'markets' = 'lists',
): Edit[] =>
  ROWS.filter(([file]) => wide === 'lists' || !file.startsWith('mkt/assets.')).map(([file, row]) =>
    edit(file.replace('%', slug), `${row.replace('%', slug)}.${member}`, change),
  )
