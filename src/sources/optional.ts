import type { Skipped } from './source.ts'
import { SourceError } from './source-error.ts'

/**
 * Waits for answers that go with a source's list without being due. One that cannot be had becomes a Skipped that says
 * what is missing and why; the list is not lost for it.
 */
export async function optional<Answer>(
  asked: readonly { readonly what: string; readonly answer: Promise<Answer> }[],
): Promise<{ answers: Answer[]; missing: Skipped[] }> {
  const answers: Answer[] = []
  const missing: Skipped[] = []
  const settled = await Promise.allSettled(asked.map(({ answer }) => answer))
  for (const [index, result] of settled.entries()) {
    if (result.status === 'fulfilled') answers.push(result.value)
    else if (result.reason instanceof SourceError)
      missing.push({ kind: 'skipped', reason: `no ${asked[index]?.what}: ${result.reason.message}` })
    else throw result.reason
  }
  return { answers, missing }
}
