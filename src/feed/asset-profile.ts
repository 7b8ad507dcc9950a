import { type Asset, NO_LINKS, type TokenContract } from '../contract/asset.ts'
import type { Entry, Registry } from '../registry/registry.ts'
import type { Profile } from '../sources/source.ts'
import type { Identity } from './identify.ts'

/** Returns the registry's contracts, then those of the sources; the published ones if no source reports any. */
export function contractsOf({ entry, sighted, before }: Identity, registry: Registry): TokenContract[] {
  const seen = sighted.flatMap(({ contracts }) => contracts)
  const all = [
    ...(entry ? registry.contractsOf(entry) : []),
    ...(seen.length > 0 ? seen : (before?.asset.contracts ?? [])),
  ]
  const unique = new Map<string, TokenContract>()
  for (const contract of all) {
    const key = `${contract.chain} ${contract.address}`
    const known = unique.get(key)
    unique.set(key, known ? { ...known, decimals: known.decimals ?? contract.decimals } : contract)
  }
  return [...unique.values()]
}

/** The id of the asset at each source that ever named it. */
export const externalIds = ({ entry, before, sighted }: Identity): Record<string, string> =>
  Object.fromEntries(
    [
      ...new Map([
        ...Object.entries(before?.asset.external_ids ?? {}),
        ...Object.entries(entry?.external_ids ?? {}),
        ...sighted.map(({ source, sighting }) => [source.id, sighting.id] as const),
      ]),
    ].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

/** The links of an asset: the registry's, and where it names none the profile's. */
export const linksOf = (entry: Entry | null, links: Asset['links']): Asset['links'] => ({
  website: entry?.links.website ?? links.website,
  whitepaper: entry?.links.whitepaper ?? links.whitepaper,
  source_code: entry?.links.source_code ?? links.source_code,
  twitter: entry?.links.twitter ?? links.twitter,
  telegram: entry?.links.telegram ?? links.telegram,
  discord: entry?.links.discord ?? links.discord,
})

/** Returns what a source reported for the asset in this run, otherwise the published value. */
export function profileOf({ before }: Identity, profiles: readonly Profile[], at: string) {
  const [profile] = profiles
  if (!profile) {
    const { tags = [], asset_type = null, description = null, links = NO_LINKS, explorers = [] } = before?.asset ?? {}
    return { tags, asset_type, description, links, explorers, updated: before?.asset.profile_updated ?? null }
  }
  return {
    ...profile,
    explorers: profile.explorers.map((url) => ({ name: new URL(url).hostname.replace(/^www\./, ''), url })),
    updated: at,
  }
}
