import { isDeepStrictEqual } from 'node:util'

export interface Finding {
  readonly check: string
  readonly document: string
  /** Path of the value in the document, such as `rows[3].price_usd`; empty for the whole document. */
  readonly member: string
  readonly published: unknown
  readonly recomputed: unknown
  readonly rule: string
  /** `notice`: worth knowing, but no reason to refuse the tree. Absent: an error. */
  readonly severity?: 'notice'
  /** What to do about it. Absent: the value is wrong, whatever is done. */
  readonly advice?: string
}

export type CompareMembers<T> = (recomputed: { readonly [Name in keyof T]?: unknown }, rule: string) => void

/** Maximum number of findings of a check. A tree that is wrong in more is not repaired one by one. */
const MOST_FINDINGS = 1000

export type Comparison = ReturnType<typeof comparisonFor>

export function comparisonFor(check: string) {
  const findings: Finding[] = []
  let figures = 0

  function compare(document: string, member: string, values: Omit<Finding, 'check' | 'document' | 'member'>): void {
    const { published, recomputed } = values
    // Nearly all are equal, and most of the time went into the names of their members.
    if (isDeepStrictEqual(published, recomputed)) figures += figuresIn(recomputed)
    else if (isParent(published) && isParent(recomputed) && Array.isArray(published) === Array.isArray(recomputed)) {
      const [was, is] = [published, recomputed].map((parent) => new Map<string, unknown>(Object.entries(parent)))
      for (const name of new Set([...(is?.keys() ?? []), ...(was?.keys() ?? [])])) {
        const place = Array.isArray(recomputed) ? `${member}[${name}]` : memberOf(member, name)
        compare(document, place, { ...values, published: was?.get(name), recomputed: is?.get(name) })
      }
    } else {
      figures++
      if (findings.length < MOST_FINDINGS) findings.push({ check, document, member, ...values })
    }
  }

  return {
    findings,
    figures: () => figures,
    compare,
    membersOf:
      <T extends object>(document: string, published: T, place: string): CompareMembers<T> =>
      (recomputed, rule) => {
        for (const [name, value] of Object.entries(recomputed))
          compare(document, memberOf(place, name), { published: Reflect.get(published, name), recomputed: value, rule })
      },
  }
}

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null

const memberOf = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`)

const figuresIn = (value: unknown): number =>
  isParent(value) ? Object.values(value).reduce((sum: number, member) => sum + figuresIn(member), 0) : 1
