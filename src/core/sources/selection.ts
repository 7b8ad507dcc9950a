import type { Ms } from '../contract/time.ts'
import type { RightsClass } from '../contract/rights.ts'
import type { Source } from './source.ts'

export const openAt = <One extends Pick<Source, 'closing'>>(sources: readonly One[], now: Ms): readonly One[] =>
  sources.filter(({ closing }) => closing === undefined || now < Date.parse(closing.since))

export type Selected = ReturnType<typeof select>

/** Leaves out sources of another rights class (null: all), or that refuse the country (ISO 3166-1; null: unknown). */
export function select(
  sources: readonly Source[],
  { rights, country }: { readonly rights: ReadonlySet<RightsClass> | null; readonly country: string | null },
) {
  const asked: Source[] = []
  const elsewhere: Source[] = []
  const left: { readonly source: Source; readonly reason: string }[] = []
  for (const source of sources) {
    const { countries = [], fallbackHost } = source.unavailableFrom ?? {}
    const isRefused = country !== null && countries.includes(country)
    if (rights !== null && !rights.has(source.rights.class))
      left.push({ source, reason: `its rights are ${source.rights.class}` })
    else if (!isRefused) asked.push(source)
    else if (fallbackHost === undefined) left.push({ source, reason: `it refuses addresses of ${country}` })
    else {
      const moved = { ...source, host: fallbackHost }
      asked.push(moved)
      elsewhere.push(moved)
    }
  }
  return { asked, elsewhere, left }
}
