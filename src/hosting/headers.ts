import { DOCUMENT_CACHE, EVERY_ANSWER } from '../service/headers.ts'

/** Headers of every document, for hosts that send files. */
export const DOCUMENT_HEADERS: readonly (readonly [string, string])[] = [
  ...Object.entries(EVERY_ANSWER).map(([name, value]) => [title(name), value] as const),
  ['Cache-Control', DOCUMENT_CACHE],
]

/** Headers of what stands beside the API and is read as it is. */
export const SHARED_HEADERS = DOCUMENT_HEADERS.filter(([name]) =>
  ['Access-Control-Allow-Origin', 'X-Content-Type-Options', 'Cross-Origin-Resource-Policy'].includes(name),
)

/** Those but for the kind of content, which hosts tell by the file's name. */
export const PLAIN_HEADERS = DOCUMENT_HEADERS.filter(([name]) => name !== 'Content-Type')

/** `access-control-allow-origin` -> `Access-Control-Allow-Origin` */
function title(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
}
