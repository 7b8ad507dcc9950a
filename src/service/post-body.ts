import { MAX_BODY_BYTES } from '../contract/listing-request.ts'
import { visible } from '../contract/visible.ts'

/** The body as text: null when it is no UTF-8, `too large` as soon as it is that; then the rest is not read. */
export async function textOf(request: Request): Promise<{ readonly text: string } | 'too large' | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > MAX_BODY_BYTES) return 'too large'
      text += decoder.decode(chunk, { stream: true })
    }
    return { text: text + decoder.decode() }
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** What a text says as JSON; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Most names that are told, and most characters of each: they come from the sender and go into the record. */
const MOST_NAMES = 50
const NAME_LENGTH = 100

/** Members of what was sent that are not in what was understood: `colour`, `contracts.0.colour`; safe to show anywhere. */
export function ignoredIn(sent: unknown, understood: unknown): string[] {
  const names: string[] = []
  const visit = (given: unknown, kept: unknown, path: string) => {
    if (!isObject(given) || !isObject(kept)) return
    for (const [name, value] of Object.entries(given)) {
      if (names.length === MOST_NAMES) return
      if (Object.hasOwn(kept, name))
        visit(value, Object.entries(kept).find(([own]) => own === name)?.[1], `${path}${name}.`)
      else names.push(visible((path + name).slice(0, NAME_LENGTH)).slice(0, NAME_LENGTH))
    }
  }
  visit(sent, understood, '')
  return names
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
