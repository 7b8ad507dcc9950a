import { LOGOS } from '../contract/site-files.ts'
import { ROOT } from './frame.ts'
import { listAt } from './json.ts'
import type { LogoOf } from './marks.ts'

/** Returns the address of a logo of this site. */
export const logoAddress = (slug: string): string => new URL(`${LOGOS.folder}/${slug}.svg`, ROOT).href

/** The logos that this site has. */
interface OwnLogos {
  readonly of: LogoOf
  /** Reads which listings have one, once. After a failure they have letters. */
  readonly load: () => Promise<void>
}

export function ownLogos(): OwnLogos {
  let slugs: ReadonlySet<unknown> = new Set()
  let loading: Promise<void> | null = null
  const read = async () => {
    const response = await fetch(new URL(LOGOS.list, ROOT))
    if (response.ok) slugs = new Set(listAt(await response.json()))
  }
  return {
    of: (slug) => (slugs.has(slug) ? logoAddress(slug) : null),
    load: () => (loading ??= read().catch(() => undefined)),
  }
}
