import { PREFIX } from '../contract/prefix.ts'
import { methodsOf } from '../client/conversion.ts'
import { mirrorAt } from '../client/mirror.ts'
import { httpClient } from '../client/request.ts'
import { mirrorTransport } from '../client/transport.ts'

/** Root of the site on any host and path. Scripts are one folder below. */
export const ROOT = new URL('..', import.meta.url)

/** Long enough for the full feed on a slow connection: 460 KB with gzip take 10 s at 50 KB/s. */
const TIMEOUT_MS = 60_000

/** Client of this site's API. */
export const api = methodsOf(
  mirrorTransport({
    mirrors: [mirrorAt(ROOT.href, PREFIX)],
    http: httpClient({ fetch: (...request) => fetch(...request), timeoutMs: TIMEOUT_MS, cacheSize: 100 }),
    maxStaleMs: Infinity,
    now: Date.now,
  }),
)

/** Returns a JSON file of this site. @throws if it cannot be loaded */
export async function fileOfSite(path: string): Promise<unknown> {
  const response = await fetch(new URL(path, ROOT))
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}.`)
  return response.json()
}

/** Returns the names of sources by their ids, as far as they can be read. */
export async function sourceNames(): Promise<ReadonlyMap<string, string>> {
  const answer = await api.rights().catch(() => null)
  return new Map(answer?.data.rows.map(({ source_id, source_label }) => [source_id, source_label]))
}
