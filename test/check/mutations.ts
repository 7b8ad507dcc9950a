import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TreeReader } from '../../src/tree/reader.ts'
import type { Composed } from '../../src/check/recomposition.ts'
import { type Json, jsonOf, print, printValue } from '../../src/contract/text.ts'
import { published } from '../../src/endpoints/table.ts'
import { csvFiles } from '../../src/exports/csv.ts'
import { ndjsonFiles } from '../../src/exports/ndjson.ts'

export const composed: Composed = { endpoints: published, attachments: [csvFiles, ndjsonFiles] }

/** The API's files of a tree, by path. */
export const filesOf = (root: string): Map<string, string> =>
  new Map(
    readdirSync(join(root, 'api'), { recursive: true, withFileTypes: true, encoding: 'utf8' }).flatMap((entry) => {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1)
      return entry.isFile() ? [[path, readFileSync(join(root, path), 'utf8')] as const] : []
    }),
  )

export const readerOf =
  (files: ReadonlyMap<string, string>): TreeReader =>
  async (file) =>
    files.get(file) ?? null

/** One change of a document: of which file below `api/`, of which member, from what to what. */
export interface Edit {
  readonly file: string
  /** `rows[0].price_usd`, `rows[slug=bitcoin].price_usd`, `asset.name`. */
  readonly member: string
  readonly change: (value: Json) => Json
}

export const edit = (file: string, member: string, change: Edit['change']): Edit => ({ file, member, change })

/** The files of a tree with these changes. Throws where a change changes nothing. */
export function mutated(files: ReadonlyMap<string, string>, edits: readonly Edit[]): Map<string, string> {
  const result = new Map(files)
  for (const { file, member, change } of edits) {
    const path = `api/${file}`
    const text = result.get(path)
    if (text === undefined) throw new Error(`the tree holds no ${path}`)
    const edited = file.endsWith('.ndjson') ? inLines(text, member, change) : inDocument(text, member, change)
    if (edited === text) throw new Error(`${file} ${member} stays as it is`)
    result.set(path, edited)
  }
  return result
}

const inDocument = (text: string, member: string, change: Edit['change']): string => {
  const document = withMember(jsonOf(JSON.parse(text)), pathOf(member), change)
  if (!isRecord(document)) throw new Error('a document is an object')
  return print(document)
}

const inLines = (text: string, member: string, change: Edit['change']): string => {
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

function withMember(value: Json, [step, ...rest]: readonly Step[], change: Edit['change']): Json {
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
  change: Edit['change'],
  wide: 'lists' | 'markets' = 'lists',
): Edit[] =>
  ROWS.filter(([file]) => wide === 'lists' || !file.startsWith('mkt/assets.')).map(([file, row]) =>
    edit(file.replace('%', slug), `${row.replace('%', slug)}.${member}`, change),
  )
