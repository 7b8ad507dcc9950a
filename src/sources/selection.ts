import type { RightsClass } from '../contract/rights.ts'
import type { Source } from './source.ts'

/** Criteria for the sources that a run may ask. */
interface Selection {
  /** Classes of rights that may be published; null: all. */
  readonly rights: ReadonlySet<RightsClass> | null
  /** Country of the machine (ISO 3166-1); null: unknown. */
  readonly country: string | null
}

/** The sources that do not wind down at a time in ms since 1970. */
export const openAt = <One extends Pick<Source, 'closing'>>(sources: readonly One[], now: number): readonly One[] =>
  sources.filter(({ closing }) => closing === undefined || now < Date.parse(closing.since))

/** The sources that a run asks, and those that it leaves out with the reason. */
export interface Selected {
  readonly asked: readonly Source[]
  /** Those of them that are asked at their fallback host. */
  readonly elsewhere: readonly Source[]
  readonly left: readonly { readonly source: Source; readonly reason: string }[]
}

/**
 * Leaves out sources whose rights class is not allowed, or that are known to refuse requests from the country. One with a
 * fallback host is asked there.
 */
export function select(sources: readonly Source[], { rights, country }: Selection): Selected {
  const reasonOf = ({ rights: own, unavailableFrom }: Source): string | null => {
    if (rights !== null && !rights.has(own.class)) return `its rights are ${own.class}`
    if (refuses(unavailableFrom, country) && unavailableFrom?.fallbackHost === undefined)
      return `it refuses addresses of ${country}`
    return null
  }
  const reachable = (source: Source): Source => {
    const { fallbackHost } = source.unavailableFrom ?? {}
    return fallbackHost !== undefined && refuses(source.unavailableFrom, country)
      ? { ...source, host: fallbackHost }
      : source
  }
  const judged = sources.map((source) => ({ source, reason: reasonOf(source) }))
  const chosen = judged.flatMap(({ source, reason }) => (reason === null ? [source] : []))
  const asked = chosen.map(reachable)
  return {
    asked,
    elsewhere: asked.filter((source, index) => source !== chosen[index]),
    left: judged.flatMap(({ source, reason }) => (reason === null ? [] : [{ source, reason }])),
  }
}

const refuses = (unavailableFrom: Source['unavailableFrom'], country: string | null): boolean =>
  country !== null && (unavailableFrom?.countries.includes(country) ?? false)
