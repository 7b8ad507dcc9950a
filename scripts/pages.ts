import { ECOSYSTEM, type Ecosystem, PRODUCT } from '../src/core/contract/product.ts'
import type { Composition } from '../src/core/endpoints/compose.ts'
import type { Attachments } from '../src/core/endpoints/endpoint.ts'
import type { SiteRow } from '../src/core/history/row-schemas.ts'
import { compositionOf } from '../src/exports/table.ts'
import { BRAND, type Brand, colourRule } from '../src/pages/brand.ts'
import { ICON, ICON_FILE, notFoundPage } from '../src/pages/document.tsx'
import { pageDocuments } from '../src/pages/documents.tsx'
import { pagesOf } from '../src/pages/pages.ts'
import { pageFiles } from './programs.ts'

interface SiteLooks {
  readonly site?: string | null
  readonly product?: string
  readonly ecosystem?: Ecosystem
  readonly brand?: Brand
}

export async function sitePages({
  site = null,
  product = PRODUCT,
  ecosystem = ECOSYSTEM,
  brand = BRAND,
}: SiteLooks = {}): Promise<Attachments> {
  const fixed = [
    ...(await pageFiles()).map(({ name, text }) => ({
      // Pages of others name it, and it finds the tree beside itself.
      path: name === 'embed.js' ? name : `ui/${name}`,
      text: name === 'style.css' ? text + colourRule(brand.colours) : text,
    })),
    { path: '404.html', text: notFoundPage({ product, brand, pages: pagesOf(ecosystem) }, site) },
    { path: ICON_FILE, text: ICON },
    ...(brand.logo === null ? [] : [brand.logo]),
  ]
  const documents = pageDocuments({ product, brand, site, ecosystem })
  return function* files(world, written) {
    yield* documents(world, written)
    yield* fixed
  }
}

export async function siteComposition(site: Omit<SiteRow, 'members'>): Promise<Composition> {
  const { product, ecosystem, address, brand, pages } = site
  const composition = compositionOf(product, ecosystem)
  if (!pages) return composition
  const own = await sitePages({ site: address, product, ecosystem, brand })
  return { ...composition, attachments: [...composition.attachments, own] }
}
