import type { RightsClass } from '../contract/rights.ts'
import type { Source } from './source.ts'

export type Selected = ReturnType<typeof select>

/** Leaves out sources of another rights class (null: all), or that refuse the country (ISO 3166-1; null: unknown). */
export function select(
  sources: readonly Source[],
  { rights, country }: { readonly rights: ReadonlySet<RightsClass> | null; readonly country: string | null },
) {
  const isRefused = ({ unavailableFrom }: Source) => country !== null && unavailableFrom?.countries.includes(country)
  const left = sources.flatMap((source) => {
    if (rights !== null && !rights.has(source.rights.class))
      return [{ source, reason: `its rights are ${source.rights.class}` }]
    const isLost = isRefused(source) && source.unavailableFrom?.fallbackHost === undefined
    return isLost ? [{ source, reason: `it refuses addresses of ${country}` }] : []
  })
  const kept = sources.filter((one) => !left.some(({ source }) => source === one))
  const asked = kept.map((source) => {
    const { fallbackHost: host = source.host } = source.unavailableFrom ?? {}
    return isRefused(source) ? { ...source, host } : source
  })
  return { asked, elsewhere: asked.filter((source) => !sources.includes(source)), left }
}
