import type { SourcesKind } from '../src/contract/product.ts'
import { type Budget, HOST_BUDGETS } from '../src/hosting/budgets.ts'
import { RIGHTS, type RightsClass } from '../src/contract/rights.ts'
import { UsageError } from './usage.ts'

type Given = string | boolean | undefined

/** Returns the kind of sources that `--sources` names, live by default. */
export function kindIn(given: Given): SourcesKind {
  const kind = given ?? 'live'
  if (kind === 'live' || kind === 'sample') return kind
  throw new UsageError(`--sources takes live or sample, not "${String(kind)}".`)
}

/** Returns the limits of the host that `--budget` names. */
export function budgetIn(given: Given): Budget | undefined {
  if (given === undefined) return undefined
  const budget = Object.entries(HOST_BUDGETS).find(([name]) => name === given)?.[1]
  if (budget) return budget
  throw new UsageError(`--budget takes ${Object.keys(HOST_BUDGETS).join(', ')}, not "${String(given)}".`)
}

/** Returns the comma-separated rights that an option names; null: it is not given. */
export function rightsIn(option: 'rights' | 'withhold', given: Given): ReadonlySet<RightsClass> | null {
  if (given === undefined) return null
  const classes = String(given)
    .split(',')
    .map((name) => {
      const known = RIGHTS.find((one) => one === name)
      if (!known)
        throw new UsageError(`--${option} takes a comma-separated list of ${RIGHTS.join(', ')}, not "${name}".`)
      return known
    })
  return new Set(classes)
}

/** Returns the text of an option; null: it is not given. */
export const textIn = (given: Given): string | null => (given === undefined ? null : String(given))
