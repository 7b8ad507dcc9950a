import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Attachments } from '../src/endpoints/attachment.ts'
import { pageDocuments } from '../src/pages/documents.ts'
import { ICON } from '../src/pages/html.ts'
import { notFound } from '../src/pages/not-found.ts'
import { PAGES } from '../src/pages/pages.ts'
import { PRODUCT } from '../src/contract/product.ts'

const source = (name: string): string => fileURLToPath(new URL(`../src/pages/${name}`, import.meta.url))

/**
 * Builds the pages of the site, with their scripts and styles bundled into single files.
 *
 * @param site address of the site, if it is known
 */
export async function sitePages(site: string | null = null): Promise<Attachments> {
  const { outputFiles } = await build({
    entryPoints: [
      ...PAGES.map(({ program }) => source(`${program}.ts`)),
      source('embed.ts'),
      source('theme.ts'),
      source('style.css'),
    ],
    outdir: 'ui',
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'inline',
  })
  const fixed = [
    ...outputFiles.map(({ path, text }) => {
      const name = basename(path)
      // Pages of others name it, and it finds the tree beside itself.
      return { path: name === 'embed.js' ? name : `ui/${name}`, text }
    }),
    { path: '404.html', text: notFound(PRODUCT, site) },
    { path: 'ui/icon.svg', text: ICON },
  ]
  const documents = pageDocuments({ product: PRODUCT, pages: PAGES, site })
  return (world, written) =>
    [...documents(world, written), ...fixed].toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}
