import type { Skipped } from './source.ts'
import { SourceError } from './source-error.ts'

/** The requests of a source that may fail, each with its name in a reason. */
type Asked<Answer> = readonly { readonly what: string; readonly answer: Promise<Answer> }[]

/** Waits for optional answers of a source. Returns those that arrived, and a Skipped with the reason for each that failed. */
export async function optional<Answer>(asked: Asked<Answer>): Promise<{ answers: Answer[]; missing: Skipped[] }> {
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

/** As {@link optional}, but if all of them fail, the source fails with the first error. */
export async function someOf<Answer>(asked: Asked<Answer>): ReturnType<typeof optional<Answer>> {
  const some = await optional(asked)
  if (some.answers.length === 0) await asked[0]?.answer
  return some
}

/** Divides a list into parts of so many rows. */
export const partsOf = <Row>(list: readonly Row[], most: number): (readonly Row[])[] =>
  Array.from({ length: Math.ceil(list.length / most) }, (_, part) => list.slice(part * most, (part + 1) * most))
