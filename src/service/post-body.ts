import { MAX_BODY_BYTES } from '../contract/listing-request.ts'
import { visible } from '../contract/visible.ts'

/**
 * Returns the body as text, null if it is not UTF-8 or ends early, or `too large`. The rest of a too large body is not read.
 */
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
  } catch {
    return null
  }
}

/** Maximum number and length of the names of unknown members. They come from the sender and are stored. */
const MOST_NAMES = 50
const NAME_LENGTH = 100

/** Returns the paths of unknown members of a body, such as `colour` or `contracts.0.colour`, safe to print anywhere. */
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
