import { API_FOLDER } from './prefix.ts'

/** Rows of a part of the manifest: `usual` at most when the files are divided, and `most` before they are divided again. */
export const PART_ROWS = { usual: 128, most: 160 } as const
/** So many parts are listed in the manifest itself. More are in sections, and the manifest lists those. */
export const MOST_PARTS = 16

const PART = new RegExp(`^${API_FOLDER}/manifest/(s)?\\d{1,5}\\.json$`)

/** Returns the file of a part or section. */
export const partFile = (name: string): string => `${API_FOLDER}/manifest/${name}.json`

/** Whether a file is a part of the manifest, or a section of parts. */
export const isPart = (file: string): boolean => PART.test(file)
/** Whether a file is a section, whose rows are parts. */
export const isSection = (file: string): boolean => PART.exec(file)?.[1] === 's'

/** A row of a list of parts has the first path that its part may hold. */
interface Starting {
  readonly path: string
  readonly from?: string | undefined
}

/** Returns where the parts in rows of a manifest begin, in order. */
export const startsIn = (rows: readonly Starting[]): readonly string[] =>
  rows.flatMap(({ path, from }) => (from === undefined || isSection(path) ? [] : [from]))

/** Returns the row of the part or section that a file is in: the last that begins before it, by UTF-16 units. */
export const partFor = <Row extends Starting>(file: string, rows: readonly Row[]): Row | undefined =>
  rows.findLast(({ from }) => from !== undefined && from <= file)

/**
 * Returns sorted files by the parts that they are in. Parts begin where they began in the last publication, so that a run
 * changes few of them. The files are divided again, evenly, once a part is too long or there are twice as many as needed.
 */
export function inParts<File extends { readonly path: string }>(
  files: readonly File[],
  before: readonly string[],
): readonly { readonly from: string; readonly files: readonly File[] }[] {
  const last = divided(files, before)
  const needed = Math.max(1, Math.ceil(files.length / PART_ROWS.usual))
  const isSorted = before.every((from, part) => from > (before[part - 1] ?? '') || (part === 0 && from === ''))
  const isFit = before[0] === '' && isSorted && before.length <= 2 * needed
  if (isFit && last.every((part) => part.files.length <= PART_ROWS.most)) return last
  const even = Array.from(
    { length: needed },
    (_, part) => files[Math.floor((part * files.length) / needed)]?.path ?? '',
  )
  return divided(files, even.with(0, ''))
}

/** Returns sorted files by the last start that is not after them. */
function divided<File extends { readonly path: string }>(files: readonly File[], starts: readonly string[]) {
  const places = starts.map((from) => files.findIndex(({ path }) => path >= from))
  const begins = places.map((place) => (place < 0 ? files.length : place))
  return starts.map((from, part) => ({ from, files: files.slice(begins[part], begins[part + 1]) }))
}

/** A list of the manifest: a part, whose rows are files, or a section, whose rows are parts. */
export interface ManifestList<File> {
  readonly name: string
  readonly from: string
  readonly files: readonly File[]
  readonly parts: readonly ManifestList<File>[]
}

/** Returns the parts, then the sections if there are many, and those that the manifest itself lists. */
export function manifestLists<File extends { readonly path: string }>(
  files: readonly File[],
  before: readonly string[],
): { readonly all: readonly ManifestList<File>[]; readonly top: readonly ManifestList<File>[] } {
  const parts = inParts(files, before).map((part, at) => ({ ...part, name: String(at), parts: [] }))
  if (parts.length <= MOST_PARTS) return { all: parts, top: parts }
  const size = Math.ceil(Math.sqrt(parts.length))
  const sections = Array.from({ length: Math.ceil(parts.length / size) }, (_, at) => {
    const own = parts.slice(at * size, (at + 1) * size)
    return { name: `s${at}`, from: own[0]?.from ?? '', files: [], parts: own }
  })
  return { all: [...parts, ...sections], top: sections }
}
