import { byKey } from '../contract/order.ts'
import { type Asset, NO_LINKS } from '../contract/asset.ts'
import type { Entry } from '../registry/registry.ts'
import type { Profile } from '../sources/source.ts'
import type { Identity } from './identify.ts'

/** The id of the asset at each source that ever named it. */
export const externalIds = ({ entry, before, sighted }: Identity): Record<string, string> =>
  Object.fromEntries(
    [
      ...new Map([
        ...Object.entries(before?.asset.external_ids ?? {}),
        ...Object.entries(entry?.external_ids ?? {}),
        ...sighted.map(({ source, sighting }) => [source.id, sighting.id] as const),
      ]),
    ].toSorted(byKey),
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
