import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Composed } from '../../src/check/verify.ts'
import type { TreeReader } from '../../src/tree/reader.ts'
import { published } from '../../src/endpoints/table.ts'
import { csvFiles } from '../../src/exports/csv.ts'
import { ndjsonFiles } from '../../src/exports/ndjson.ts'

export const composed: Composed = { endpoints: published, attachments: [csvFiles, ndjsonFiles] }

/** The API's files of a tree, by path. */
export const filesOf = (root: string): Map<string, string> =>
  new Map(
    readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1)
      return entry.isFile() && path.startsWith('api') ? [[path, readFileSync(join(root, path), 'utf8')] as const] : []
    }),
  )

export const readerOf =
  (files: ReadonlyMap<string, string>): TreeReader =>
  async (file) =>
    files.get(file) ?? null

/** A change of published documents: the text of each changed file by its path below `api/mkt`. */
export type Mutation = (text: (file: string) => string) => Readonly<Record<string, string>>

/** The files of a tree with a mutation. */
export function mutated(files: ReadonlyMap<string, string>, mutation: Mutation): Map<string, string> {
  const textOf = (file: string) => {
    const text = files.get(`api/${file}`)
    if (text === undefined) throw new Error(`the tree holds no ${file}`)
    return text
  }
  const changed = Object.entries(mutation(textOf))
  for (const [file, text] of changed) if (text === textOf(file)) throw new Error(`the mutation leaves ${file} as it is`)
  return new Map([...files, ...changed.map(([file, text]) => [`api/${file}`, text] as const)])
}

/** Changes the number of a member where it first occurs after `from`. */
export function withNumber(text: string, member: string, change: (value: number) => number, from = ''): string {
  const start = from === '' ? 0 : text.indexOf(from)
  if (start < 0) throw new Error(`there is no ${from}`)
  const head = text.slice(0, start)
  return (
    head +
    text
      .slice(start)
      .replace(
        new RegExp(`("${member}":)([\\d.-]+)`),
        (_, name: string, value: string) => `${name}${String(change(Number(value)))}`,
      )
  )
}
