import { type RangeReader, rangeReader } from '../client/range.ts'
import type { ReadRange } from '../client/snapshot-file.ts'
import { MOST_DAY_BYTES } from '../contract/archive.ts'
import type { ReadableArchive } from './archive-store.ts'

/**
 * Returns an archive on a host of files, with or without ranges. Public releases of a GitHub repository are one:
 * `https://github.com/<owner>/<repo>/releases/download`.
 */
export function siteArchive(site: string, fetch: typeof globalThis.fetch, timeoutMs: number): ReadableArchive {
  const base = site.replace(/\/+$/, '')
  const host: RangeReader = rangeReader(fetch, timeoutMs)
  const files = new Map<string, ReadRange>()
  return {
    name: base,
    read(file, range) {
      const url = `${base}/${file}`
      if (range?.of === undefined) return host.whole(url, MOST_DAY_BYTES)
      const part = files.get(url) ?? host.ranges(url, range.of)
      files.set(url, part)
      return part(range.from, range.length)
    },
  }
}
