import {
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { sha256Of } from '../../src/contract/digest.ts'
import { LAYOUT, WORK } from '../../src/tree/layout.ts'
import { copyTree } from '../sample-tree.ts'

type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never

/** Values that no honest document holds where they are put. */
const hostile = fc.constantFrom<unknown>(
  null,
  -1,
  0,
  1e308,
  '',
  'x'.repeat(300),
  '2026-99-99T99:99:99Z',
  '9999-12-31T23:59:59Z',
  '../../outside',
  '/etc/passwd',
  '.journal',
  'a/b.json/c.json',
  '__proto__',
  [],
  {},
  [null],
  true,
)

/** What happens to one file of a tree; `at` chooses the place in it. */
const harm = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removeFolder') }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('truncate'), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('swap'), other: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('digit'),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      keepsTime: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('value'), at: fc.nat(), value: hostile, agrees: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('garbage'), bytes: fc.uint8Array({ maxLength: 64 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('folder') }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('link'), to: fc.constantFrom('nowhere', '.', '/etc/hostname', '/') }),
  },
)
export type Harm = { readonly file: number; readonly harm: Generated<typeof harm> }

/** Some harms to the files of a tree, the documents that all others hang on among them more often than by chance. */
export const harms = fc.array(fc.record({ file: fc.oneof(fc.nat(), fc.nat({ max: 5 })), harm }), {
  minLength: 1,
  maxLength: 8,
})

/** The files that other files are found by come first. */
export const byImportance = (files: readonly string[]): string[] => {
  const first: readonly string[] = [
    LAYOUT.index,
    LAYOUT.manifest,
    LAYOUT.collector,
    LAYOUT.head,
    `${LAYOUT.api}/assets/bitcoin.json`,
  ]
  return [...first, ...files.filter((file) => !first.includes(file) && !file.startsWith('.')).toSorted()]
}

/** Puts a value in place of one inside a JSON value, the one numbered `at` of all. */
function withValue(json: unknown, at: number, value: unknown): unknown {
  let count = 0
  const sizeOf = (node: unknown): number =>
    1 +
    (typeof node === 'object' && node !== null
      ? Object.values(node).reduce((sum: number, one) => sum + sizeOf(one), 0)
      : 0)
  const target = at % sizeOf(json)
  const visit = (node: unknown): unknown => {
    if (count++ === target) return value
    if (Array.isArray(node)) return node.map(visit)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, visit(member)]))
  }
  return visit(json)
}

/** Makes the index agree with an edited manifest, as somebody would who means harm. */
function agree(root: string, before: string): void {
  const [manifest, index] = [join(root, LAYOUT.manifest), join(root, LAYOUT.index)]
  if (!isFile(manifest) || !isFile(index)) return
  const text = readFileSync(index, 'utf8')
  writeFileSync(index, text.replace(sha256Of(before), sha256Of(readFileSync(manifest, 'utf8'))))
}

const isFile = (path: string): boolean => {
  try {
    return lstatSync(path).isFile()
  } catch {
    return false
  }
}

/** Does the harms to a tree. */
export function damage(root: string, files: readonly string[], harms: readonly Harm[]): void {
  for (const { file, harm } of harms) {
    const name = files[file % files.length] ?? LAYOUT.index
    const path = join(root, name)
    if (harm.kind === 'removeFolder' && dirname(name) !== '.') rmSync(dirname(path), { recursive: true, force: true })
    if (!isFile(path)) continue
    const { atime, mtime } = lstatSync(path)
    const text = readFileSync(path, 'utf8')
    if (harm.kind === 'remove') rmSync(path)
    if (harm.kind === 'truncate' && 'at' in harm) truncateSync(path, Math.floor(harm.at * lstatSync(path).size))
    if ('other' in harm) {
      const other = join(root, files[harm.other % files.length] ?? LAYOUT.index)
      if (!isFile(other)) continue
      writeFileSync(path, readFileSync(other))
      writeFileSync(other, text)
    }
    if ('keepsTime' in harm) {
      const digits = [...text.matchAll(/[0-9]/g)]
      const place = digits[Math.floor(harm.at * (digits.length - 1))]?.index
      if (place === undefined) continue
      writeFileSync(path, `${text.slice(0, place)}${(Number(text[place]) + 1) % 10}${text.slice(place + 1)}`)
      if (harm.keepsTime) utimesSync(path, atime, mtime)
    }
    if ('value' in harm && path.endsWith('.json')) {
      try {
        writeFileSync(path, JSON.stringify(withValue(JSON.parse(text), harm.at, harm.value)))
      } catch {
        continue
      }
      if (harm.agrees && name === LAYOUT.manifest) agree(root, text)
    }
    if ('bytes' in harm) writeFileSync(path, harm.bytes)
    if (harm.kind === 'folder' || 'to' in harm) rmSync(path)
    if (harm.kind === 'folder') mkdirSync(join(path, 'sub'), { recursive: true })
    if ('to' in harm) symlinkSync(harm.to, path)
  }
}

/** Paths as a journal of another hand may hold them. */
const treePath = fc.oneof(
  fc.constantFrom(LAYOUT.index, LAYOUT.manifest, 'api', 'api/mkt', 'index.html', '../outside', '/etc/passwd', '.', ''),
  fc.string({ maxLength: 20 }),
)

/** What may lie in a tree beside its documents: a journal, staged files, a lock. */
export const leftovers = fc.record({
  journal: fc.option(
    fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          put: fc.array(fc.tuple(treePath, fc.oneof(fc.constant(sha256Of('x')), fc.string())), { maxLength: 3 }),
          drop: fc.array(treePath, { maxLength: 3 }),
        })
        .map((journal) => JSON.stringify(journal)),
    ),
  ),
  staged: fc.array(fc.constantFrom('api/mkt.json', 'api/mkt/manifest.json', 'index.html', 'x'), { maxLength: 3 }),
  lock: fc.option(fc.oneof(fc.string(), fc.json(), fc.constant('{"pid":999999999,"host":"","since":""}'))),
})
export type Leftovers = Generated<typeof leftovers>

/** Puts them there. */
export function leave(root: string, { journal, staged, lock }: Leftovers): void {
  for (const file of staged) {
    mkdirSync(dirname(join(root, WORK.staging, file)), { recursive: true })
    writeFileSync(join(root, WORK.staging, file), 'x')
  }
  if (journal !== null) writeFileSync(join(root, WORK.journal), journal)
  if (lock !== null) writeFileSync(join(root, WORK.lock), lock)
}

/** A copy of a tree, with the times of its files. */
export function copyOf(tree: string, folder: string): string {
  copyTree(tree, folder)
  return folder
}
