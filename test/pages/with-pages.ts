import { siteComposition } from '../../scripts/pages.ts'
import { SITE } from '../sample-tree.ts'

/** A publisher whose tree has the pages of the site, for a run. */
export async function withPages(address: string | null = null) {
  const site = { ...SITE, address, pages: true }
  return { site, composition: await siteComposition(site) }
}
