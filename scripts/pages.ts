import type { Composition } from '../src/core/endpoints/compose.ts'
import type { Attachments } from '../src/core/endpoints/endpoint.ts'
import type { SiteRow } from '../src/core/history/rows.ts'
import { compositionOf } from '../src/exports/table.ts'
import { colourRule } from '../src/pages/brand.ts'
import { ICON, ICON_FILE, notFoundPage } from '../src/pages/document.tsx'
import { pageDocuments } from '../src/pages/documents.tsx'
import { pageFiles } from './programs.ts'

/** Returns what adds the pages of a site to its tree, with their programs and styles. */
export async function sitePages(): Promise<Attachments> {
  const programs = await pageFiles()
  return function* files(world, written) {
    const { brand } = world.site
    yield* pageDocuments(world, written)
    for (const { name, text } of programs)
      yield {
        // Pages of others name it, and it finds the tree beside itself.
        path: name === 'embed.js' ? name : `ui/${name}`,
        text: name === 'style.css' ? text + colourRule(brand) : text,
      }
    yield { path: '404.html', text: notFoundPage(world.site) }
    yield { path: ICON_FILE, text: ICON }
    if (brand.logo !== null) yield brand.logo
  }
}

export async function siteComposition(site: Omit<SiteRow, 'members'>): Promise<Composition> {
  const composition = compositionOf(site.ecosystem)
  if (!site.pages) return composition
  return { ...composition, attachments: [...composition.attachments, await sitePages()] }
}
