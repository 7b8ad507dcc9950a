import type { Skipped } from './source.ts'
import { SourceError } from './source-error.ts'

/** Waits for optional answers of a source. Returns those that arrived, and a Skipped with the reason for each that failed. */
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
