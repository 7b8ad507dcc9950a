/** Headers of every answer. */
export const EVERY_ANSWER: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Last-Modified, Retry-After, Location, Allow, RateLimit, RateLimit-Policy, Accept-Ranges, Content-Range',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
}

export const DOCUMENT_CACHE = 'public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400'

/** Browsers may cache preflights for a day. */
export const PREFLIGHT_MAX_AGE = '86400'

/** Whether an If-None-Match header names this entity tag: weak comparison, RFC 9110 section 13.1.2. */
export function namesTag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.split(',').some((tag) => opaque(tag) === opaque(etag))
}

/** Evaluates the conditional headers of a request: RFC 9110 section 13.2.2, If-None-Match before If-Modified-Since. */
export function isUnchanged(request: Headers, etag: string, lastModified: string): boolean {
  const tags = request.get('if-none-match')
  if (tags !== null) return namesTag(tags, etag)
  const since = Date.parse(request.get('if-modified-since') ?? '')
  return !Number.isNaN(since) && Date.parse(lastModified) <= since
}
