import { type Budget, type Footprint, excess, measured } from '../core/tree/budget.ts'

const NO_LIMITS: Budget = { files: null, bytes: null, file_bytes: null }

const [MIB, GB] = [2 ** 20, 10 ** 9]

/** Limits of a tree's size on each host. docs/hosting.md names the pages that state them, and the limits of deployments. */
export const HOST_BUDGETS = {
  cloudflare: { ...NO_LIMITS, files: 20_000, file_bytes: 25 * MIB },
  'cloudflare-paid': { ...NO_LIMITS, files: 100_000, file_bytes: 25 * MIB },
  'github-pages': { ...NO_LIMITS, bytes: GB },
  bucket: NO_LIMITS,
  'r2-free': { ...NO_LIMITS, bytes: 10 * GB },
} as const satisfies Readonly<Record<string, Budget>>

const NEAR = 0.8

export const nearLimits = (footprint: Footprint, budget: Budget): string[] =>
  measured(footprint, budget).flatMap(({ value, most, what }) =>
    value > NEAR * most ? [`${what}: ${value} of ${most}, ${Math.round((value / most) * 100)} %`] : [],
  )

/** Files of a listing, and those beside the listings: candles of the largest, closes of six years, lists and pages. */
const FILES = { listing: 9, others: 5000 }

export const mostListings = ({ files }: Budget): number | null =>
  files === null ? null : Math.floor((files - FILES.others) / FILES.listing)

export const hostsFor = (footprint: Footprint): readonly { readonly host: string; readonly excess: string[] }[] =>
  Object.entries(HOST_BUDGETS)
    // A bucket takes any tree; its budget is a choice.
    .filter(([host]) => host !== 'bucket')
    .map(([host, budget]) => ({ host, excess: excess(footprint, budget) }))
