import { SEARCH_IDS } from '../contract/site-files.ts'
import { ROOT } from './frame.ts'
import { listAt, membersAt } from './json.ts'

/** The ids of listings at other services. */
export interface OtherIds {
  /** Returns them by slug; empty until they are loaded. */
  readonly bySlug: () => ReadonlyMap<string, readonly string[]>
  /** Loads them once, for the first search of a visit. After a failure they find nothing. */
  readonly load: () => Promise<void>
}

export function otherIdsOfSite(): OtherIds {
  let bySlug: ReadonlyMap<string, readonly string[]> = new Map()
  let loading: Promise<void> | null = null
  const read = async () => {
    const response = await fetch(new URL(SEARCH_IDS, ROOT))
    if (!response.ok) return
    bySlug = new Map(membersAt(await response.json()).map(([slug, ids]) => [slug, listAt(ids).map(String)]))
  }
  return { bySlug: () => bySlug, load: () => (loading ??= read().catch(() => undefined)) }
}
