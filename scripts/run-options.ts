import type { SourcesKind } from '../src/contract/product.ts'
import { type Budget, HOST_BUDGETS } from '../src/hosting/budgets.ts'
import { RIGHTS, type RightsClass } from '../src/contract/rights.ts'
import { LEAST_KEPT_DAYS } from '../src/history/closes.ts'
import type { Overrides } from './settings.ts'
import { UsageError, wholeNumber } from './usage.ts'

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

/** Returns the comma-separated rights that `--rights` names; null: it is not given. */
function rightsIn(given: Given): ReadonlySet<RightsClass> | null {
  if (given === undefined) return null
  const classes = String(given)
    .split(',')
    .map((name) => {
      const known = RIGHTS.find((one) => one === name)
      if (!known) throw new UsageError(`--rights takes a comma-separated list of ${RIGHTS.join(', ')}, not "${name}".`)
      return known
    })
  return new Set(classes)
}

/** Returns the whole number of an option, which must not be 0; undefined: it is not given. */
function positiveIn(option: string, given: Given, what = ''): number | undefined {
  const number = wholeNumber(option, given)
  if (number === 0) throw new UsageError(`--${option} takes a whole number ${what}of 1 or more.`)
  return number
}

function closesDaysIn(given: Given): number | undefined {
  const days = wholeNumber('closes-days', given)
  if (days !== undefined && days < LEAST_KEPT_DAYS)
    throw new UsageError(
      `--closes-days takes a whole number of ${LEAST_KEPT_DAYS} or more: a day enters the archive a week after its end.`,
    )
  return days
}

/** Returns the country that `--country` names; undefined: it is not given. */
function countryIn(given: Given): string | undefined {
  if (given === undefined) return undefined
  if (!/^[A-Z]{2}$/.test(String(given))) throw new UsageError('--country takes two capital letters, such as US.')
  return String(given)
}

/** Options of commands that override settings of the configuration. */
export interface SettingOptions {
  readonly only?: string | undefined
  readonly listings?: string | undefined
  readonly 'least-listings'?: string | undefined
  readonly cadence?: string | undefined
  readonly country?: string | undefined
  readonly rights?: string | undefined
  readonly 'history-requests'?: string | undefined
  readonly 'closes-days'?: string | undefined
  readonly 'max-state-age'?: string | undefined
  readonly budget?: string | undefined
  readonly compress?: boolean | undefined
  readonly 'half-hourly-days'?: string | undefined
  readonly 'hourly-days'?: string | undefined
}

/** Returns what the options say of the archive. */
function archiveIn(given: SettingOptions) {
  const halfHourlyDays = wholeNumber('half-hourly-days', given['half-hourly-days'])
  const hourlyDays = wholeNumber('hourly-days', given['hourly-days'])
  if (halfHourlyDays === undefined && hourlyDays === undefined) return undefined
  return {
    ...(halfHourlyDays === undefined ? {} : { halfHourlyDays }),
    ...(hourlyDays === undefined ? {} : { hourlyDays }),
  }
}

/** Returns the settings that the options of a command override. @throws UsageError */
export function overridesIn(given: SettingOptions): Overrides {
  const rights = rightsIn(given.rights)
  const found = {
    sources: given.only === undefined ? undefined : { only: given.only.split(','), off: [] },
    listings: positiveIn('listings', given.listings),
    leastListings: wholeNumber('least-listings', given['least-listings']),
    cadenceMinutes: positiveIn('cadence', given.cadence, 'of minutes '),
    country: countryIn(given.country),
    rights: rights === null ? undefined : [...rights],
    historyRequests: wholeNumber('history-requests', given['history-requests']),
    closesDays: closesDaysIn(given['closes-days']),
    maxStateAgeHours: wholeNumber('max-state-age', given['max-state-age']),
    archive: archiveIn(given),
    host: budgetIn(given.budget) && given.budget,
    compress: given.compress,
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}
