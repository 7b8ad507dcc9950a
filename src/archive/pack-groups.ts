import {
  type PackedDocument,
  type PackedKind,
  type Piece,
  columnNames,
  membersOfShape,
  printGroup,
  slugIn,
} from '../contract/pack.ts'
import {
  type PackPlan,
  type Packable,
  type PlannedGroup,
  type PlannedLine,
  kindOf,
  linesOf,
  splitLines,
} from './pack-plan.ts'

/** The groups of a pack as text. */
export interface GroupTexts {
  readonly groups: readonly { readonly paths: readonly string[]; readonly text: string }[]
  /** Shapes that several groups have. */
  readonly shapes: readonly string[]
}

/** Where a row is. */
type RowPlace = Pick<Piece, 'group' | 'kind' | 'first'>

interface FilledGroup {
  readonly paths: readonly string[]
  readonly documents: readonly PackedDocument[]
  readonly lines: GroupLines
}

/** Returns the groups of a plan, those of lists last. */
export function groupTexts({ groups, lists }: PackPlan): GroupTexts {
  const kinds = new KindNames()
  const places = new Map<string, RowPlace>()
  const own = groups.map((group, number) => ownGroup(group, { number, kinds, places }))
  const filled = lists.length === 0 ? own : [...own, listGroup(lists, kinds, places)]
  const shapes = sharedShapes(filled)
  return {
    groups: filled.map(({ paths, documents, lines }) => ({ paths, text: lines.print(documents, shapes) })),
    shapes,
  }
}

function sharedShapes(groups: readonly FilledGroup[]): string[] {
  const uses = new Map<string, number>()
  for (const { lines } of groups) for (const shape of lines.shapes()) uses.set(shape, (uses.get(shape) ?? 0) + 1)
  return [...uses].flatMap(([shape, count]) => (count > 1 ? [shape] : []))
}

/** Short names of kinds, for every recipe has them. */
class KindNames {
  readonly #names = new Map<string, string>()

  of(kind: string): string {
    const name = this.#names.get(kind) ?? this.#names.size.toString(36)
    this.#names.set(kind, name)
    return name
  }
}

interface Context {
  readonly number: number
  readonly kinds: KindNames
  readonly places: Map<string, RowPlace>
}

const byPath = (documents: readonly Packable[]) => documents.toSorted((a, b) => (a.path < b.path ? -1 : 1))

/** Returns a group of whole documents and of rows, and notes where each row is. */
function ownGroup({ documents, rows }: PlannedGroup, { number, kinds, places }: Context): FilledGroup {
  const lines = new GroupLines()
  const sorted = byPath(documents)
  const stored = sorted.map((document) => {
    const kind = kinds.of(kindOf(document.path))
    const own = linesOf(document)
    const first = lines.add(own.map((text) => ({ kind, text })))
    return packed(document, [{ group: null, kind, first, count: own.length }])
  })
  for (const { kind, text } of rows) {
    const name = kinds.of(kind)
    places.set(text, { group: number, kind: name, first: lines.add([{ kind: name, text }]) })
  }
  return { paths: sorted.map(({ path }) => path), documents: stored, lines }
}

/** Returns the group of the lists: what is only theirs, and which rows of other groups they have. */
function listGroup(lists: readonly Packable[], kinds: KindNames, places: ReadonlyMap<string, RowPlace>): FilledGroup {
  const lines = new GroupLines()
  const sorted = byPath(lists)
  const stored = sorted.map((document) => {
    const kind = kinds.of(kindOf(document.path))
    const recipe: Piece[] = []
    for (const text of linesOf(document)) {
      const place = slugIn(text) === null ? undefined : places.get(text)
      const piece = place ?? { group: null, kind, first: lines.add([{ kind, text }]) }
      const last = recipe.at(-1)
      const follows = last?.group === piece.group && last.kind === piece.kind && last.first + last.count === piece.first
      if (last && follows) recipe[recipe.length - 1] = { ...last, count: last.count + 1 }
      else recipe.push({ ...piece, count: 1 })
    }
    return packed(document, recipe)
  })
  return { paths: sorted.map(({ path }) => path), documents: stored, lines }
}

const packed = ({ sha256 }: Packable, recipe: readonly Piece[]): PackedDocument => ({
  sha256: Buffer.from(sha256, 'hex').toString('base64').replace('=', ''),
  recipe,
})

/** The lines of a group, by kind. */
class GroupLines {
  readonly #kinds = new Map<string, string[]>()
  readonly #columns = new Map<string, string[]>()

  /** Adds lines of one kind. Returns the number of the first among its kind. */
  add(lines: readonly PlannedLine[]): number {
    const kind = lines[0]?.kind ?? ''
    const known = this.#kinds.get(kind) ?? []
    this.#kinds.set(kind, known)
    const first = known.length
    for (const { shape, values } of splitLines(lines.map(({ text }) => text))) {
      known.push(shape)
      for (const [at, member] of membersOfShape(shape).entries()) {
        const name = `${kind} ${member}`
        const column = this.#columns.get(name) ?? []
        column.push(values[at] ?? '')
        this.#columns.set(name, column)
      }
    }
    return first
  }

  shapes(): ReadonlySet<string> {
    return new Set([...this.#kinds.values()].flat())
  }

  print(documents: readonly PackedDocument[], shared: readonly string[]): string {
    const isShared = new Set(shared)
    const own = [...this.shapes()].filter((shape) => !isShared.has(shape))
    const all = [...shared, ...own]
    const numbers = new Map(all.map((shape, number) => [shape, number]))
    const kinds = [...this.#kinds].map(([kind, shapes]): PackedKind => ({
      kind,
      sequence: shapes.map((shape) => numbers.get(shape) ?? 0),
    }))
    const columns = this.#storedColumns()
    const places = columnNames(kinds, (shape) => membersOfShape(all[shape] ?? '')).map(
      (name) => columns.of.get(name) ?? 0,
    )
    return printGroup(documents, { kinds, shapes: own, columns: columns.values, places })
  }

  /** Returns the different columns, similar ones close to each other, because gzip looks back 32 KiB only. */
  #storedColumns(): { readonly values: readonly (readonly string[])[]; readonly of: ReadonlyMap<string, number> } {
    const rank = ([name, [first = '']]: readonly [string, readonly string[]]) =>
      `${first.startsWith('"') ? 0 : 1}${name.slice(name.indexOf(' '))} ${name}`
    const sorted = [...this.#columns]
      .map((column) => [rank(column), column] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
    const places = new Map<string, number>()
    const values: (readonly string[])[] = []
    const of = new Map<string, number>()
    for (const [, [name, column]] of sorted) {
      const text = column.join('\n')
      const place = places.get(text) ?? values.push(column) - 1
      places.set(text, place)
      of.set(name, place)
    }
    return { values, of }
  }
}
