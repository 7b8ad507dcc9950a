import { DOCUMENT_CACHE, EVERY_ANSWER } from './headers.ts'

/** Headers of every document, for static hosts. */
export const DOCUMENT_HEADERS: readonly (readonly [string, string])[] = [
  ...Object.entries(EVERY_ANSWER).map(([name, value]) => [title(name), value] as const),
  ['Cache-Control', DOCUMENT_CACHE],
]

/** Headers of files beside the API that other origins may read. */
export const SHARED_HEADERS = DOCUMENT_HEADERS.filter(([name]) =>
  ['Access-Control-Allow-Origin', 'X-Content-Type-Options', 'Cross-Origin-Resource-Policy'].includes(name),
)

/** Headers without Content-Type, which hosts derive from the file name. */
export const PLAIN_HEADERS = DOCUMENT_HEADERS.filter(([name]) => name !== 'Content-Type')

/** `access-control-allow-origin` -> `Access-Control-Allow-Origin` */
function title(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
}
