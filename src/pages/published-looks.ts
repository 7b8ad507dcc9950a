import { BRAND, type Brand } from './brand.ts'
import { ICON_FILE } from './document.tsx'

/** What the pages of a published site show of its publisher's settings. */
export interface PublishedLooks {
  /** Address of the site, with a slash at its end; null: its pages do not name it. */
  readonly site: string | null
  readonly brand: Brand
}

/** Returns the settings that a published market page shows. The colours are in the style sheet alone. */
export function looksIn(html: string): PublishedLooks {
  const [, site = null] = /<link rel="canonical" href="([^"]+)"/.exec(html) ?? []
  const [, icon = ICON_FILE] = /<link rel="icon" href="\.\/([^"]+)"/.exec(html) ?? []
  const [, currencies = null] = /<html [^<>]*data-currencies="([^"]*)"/.exec(html) ?? []
  return {
    site: site?.replaceAll('&amp;', '&') ?? null,
    brand: {
      ...BRAND,
      logo: icon === ICON_FILE ? null : { path: icon, text: '' },
      currencies: currencies?.split(' ') ?? null,
    },
  }
}
