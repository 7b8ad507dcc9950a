import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../core/contract/read-json.ts'

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

type Values = Omit<Deviation, 'document' | 'member'>

/** Compares some members of a published object with their recomputed values. Returns whether all are equal. */
export type CompareMembers<T> = (recomputed: { readonly [Name in keyof T]?: unknown }, rule: string) => boolean

/** Maximum number of deviations of a comparison. A tree that is wrong in more is not repaired one by one. */
const MOST_DEVIATIONS = 1000

/** Compares figures, counts them, and records those that deviate. */
export class Comparison {
  readonly deviations: Deviation[] = []
  figures = 0
  /** Number of deviations, also of those that are not recorded. */
  #found = 0

  add(deviation: Deviation): void {
    this.figures++
    this.#keep(deviation)
  }

  /** Whether it records no more deviations. */
  get isFull(): boolean {
    return this.deviations.length >= MOST_DEVIATIONS
  }

  #keep(deviation: Deviation): void {
    this.#found++
    if (!this.isFull) this.deviations.push(deviation)
  }

  /** Compares one published figure with its recomputed value. Returns whether they are equal. */
  same(document: string, member: string, values: Values): boolean {
    this.figures++
    if (isDeepStrictEqual(values.published, values.recomputed)) return true
    this.#keep({ document, member, ...values })
    return false
  }

  /** Returns a function that compares members of an object in a document, such as the row at `place` `rows[3]`. */
  membersOf<T extends object>(
    document: string,
    published: T,
    place = '',
    note: Pick<Deviation, 'severity' | 'advice'> = {},
  ): CompareMembers<T> {
    return (recomputed, rule) => {
      const before = this.#found
      for (const [name, value] of Object.entries(recomputed))
        this.deep(document, memberOf(place, name), {
          published: Reflect.get(published, name),
          recomputed: value,
          rule,
          ...note,
        })
      return this.#found === before
    }
  }

  /** Compares two JSON values member by member and records each deepest member that differs. */
  deep(document: string, member: string, values: Values): void {
    const { published, recomputed } = values
    // Nearly all are equal, and most of the time went into the names of their members.
    if (isDeepStrictEqual(published, recomputed)) {
      this.figures += figuresIn(recomputed)
      return
    }
    if (Array.isArray(published) && Array.isArray(recomputed)) {
      this.#list(document, member, { ...values, published, recomputed })
      return
    }
    if (!isRecord(published) || !isRecord(recomputed)) {
      this.same(document, member, values)
      return
    }
    for (const name of new Set([...Object.keys(recomputed), ...Object.keys(published)]))
      this.deep(document, memberOf(member, name), {
        ...values,
        published: published[name],
        recomputed: recomputed[name],
      })
  }

  /** Compares two lists by position, up to the first row with another slug: after that every row would differ. */
  #list(document: string, member: string, { published, recomputed, ...values }: ListValues): void {
    for (const [index, row] of recomputed.entries()) {
      const place = `${member}[${index}]`
      const other = published[index]
      const [name, otherName] = [nameOf(row), nameOf(other)]
      if (name !== otherName) {
        this.same(document, `${place}.slug`, { ...values, published: otherName, recomputed: name })
        return
      }
      this.deep(document, place, { ...values, published: other, recomputed: row })
    }
    if (published.length !== recomputed.length)
      this.same(document, `${member}.length`, {
        ...values,
        published: published.length,
        recomputed: recomputed.length,
      })
  }
}

export interface Finding<Check extends string = string> extends Deviation {
  readonly check: Check
}

/** What each check compared, in the order in which they were first asked for. */
export class Comparisons<Check extends string = string> {
  readonly #by = new Map<Check, Comparison>()

  of(check: Check): Comparison {
    const comparison = this.#by.get(check) ?? new Comparison()
    this.#by.set(check, comparison)
    return comparison
  }

  /** Number of compared figures by check. */
  get figures(): ReadonlyMap<Check, number> {
    return new Map([...this.#by].map(([check, { figures }]) => [check, figures]))
  }

  get findings(): readonly Finding<Check>[] {
    return [...this.#by].flatMap(([check, { deviations }]) => deviations.map((deviation) => ({ check, ...deviation })))
  }
}

type ListValues = Values & {
  readonly published: readonly unknown[]
  readonly recomputed: readonly unknown[]
}

const memberOf = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`)

function figuresIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, member) => sum + figuresIn(member), 0)
}

const nameOf = (row: unknown): unknown => (isRecord(row) ? row['slug'] : undefined)
