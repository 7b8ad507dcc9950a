import { isDeepStrictEqual } from 'node:util'

/** A published figure that differs from the value computed from the rest of the tree. */
export interface Deviation {
  /** File of the figure, relative to the tree's root. */
  readonly document: string
  /** Path of the figure in the document, such as `rows[3].price_usd`. Empty for the whole document. */
  readonly member: string
  readonly published: unknown
  readonly recomputed: unknown
  /** Description of the rule that gives the recomputed value. */
  readonly rule: string
  /** `notice`: worth knowing, but no reason to refuse the tree. Absent: an error. */
  readonly severity?: 'notice'
  /** What to do about it. Absent: the figure is wrong, whatever is done. */
  readonly advice?: string
}

/** Compares figures, counts them, and records those that deviate. */
export class Comparison {
  readonly deviations: Deviation[] = []
  figures = 0

  /** Records a deviation that was found otherwise. */
  add(deviation: Deviation): void {
    this.figures++
    this.deviations.push(deviation)
  }

  /** Adds what another comparison compared. */
  join({ figures, deviations }: Pick<Comparison, 'figures' | 'deviations'>): this {
    this.figures += figures
    this.deviations.push(...deviations)
    return this
  }

  /** Compares one published figure with its recomputed value. Returns whether they are equal. */
  same(place: { readonly document: string; readonly member: string }, values: Compared): boolean {
    this.figures++
    if (isDeepStrictEqual(values.published, values.recomputed)) return true
    this.deviations.push({ ...place, ...values })
    return false
  }

  /** Compares two JSON values member by member and records each deepest member that differs. */
  deep(document: string, values: Compared, member = ''): void {
    const { published, recomputed, rule } = values
    if (Array.isArray(published) && Array.isArray(recomputed)) {
      this.#list(document, { published, recomputed, rule }, member)
      return
    }
    if (!isRecord(published) || !isRecord(recomputed)) {
      this.same({ document, member }, values)
      return
    }
    for (const name of new Set([...Object.keys(recomputed), ...Object.keys(published)]))
      this.deep(
        document,
        { published: published[name], recomputed: recomputed[name], rule },
        member === '' ? name : `${member}.${name}`,
      )
  }

  /** Compares two lists by position, up to the first row with another slug: after that every row would differ. */
  #list(document: string, { published, recomputed, rule }: ComparedLists, member: string): void {
    for (const [index, row] of recomputed.entries()) {
      const place = `${member}[${index}]`
      const other = published[index]
      const [name, otherName] = [nameOf(row), nameOf(other)]
      if (name !== otherName) {
        this.same({ document, member: `${place}.slug` }, { published: otherName, recomputed: name, rule })
        return
      }
      this.deep(document, { published: other, recomputed: row, rule }, place)
    }
    if (published.length !== recomputed.length)
      this.same(
        { document, member: `${member}.length` },
        { published: published.length, recomputed: recomputed.length, rule },
      )
  }
}

type Compared = Omit<Deviation, 'document' | 'member'>

type ComparedLists = Compared & {
  readonly published: readonly unknown[]
  readonly recomputed: readonly unknown[]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameOf = (row: unknown): unknown => (isRecord(row) ? row['slug'] : undefined)
