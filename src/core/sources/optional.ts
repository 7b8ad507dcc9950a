import type { Skipped } from './source.ts'
import { SourceError } from './source-error.ts'

export async function optional<Item, Answer>(
  items: readonly Item[],
  whatOf: (item: Item, index: number) => string,
  ask: (item: Item) => Promise<Answer>,
): Promise<{ answers: Answer[]; missing: Skipped[]; firstError: SourceError | null }> {
  const answers: Answer[] = []
  const missing: Skipped[] = []
  let firstError: SourceError | null = null
  const settled = await Promise.allSettled(items.map(ask))
  for (const [index, item] of items.entries()) {
    const result = settled[index]
    if (result?.status === 'fulfilled') answers.push(result.value)
    else if (!(result?.reason instanceof SourceError)) throw result?.reason
    else {
      firstError ??= result.reason
      missing.push({ kind: 'skipped', reason: `no ${whatOf(item, index)}: ${result.reason.message}` })
    }
  }
  return { answers, missing, firstError }
}

/** As {@link optional}, but if all of them fail, the source fails with the first error. */
export async function someOf<Item, Answer>(...asked: Parameters<typeof optional<Item, Answer>>) {
  const some = await optional(...asked)
  if (some.answers.length === 0 && some.firstError) throw some.firstError
  return some
}

export const partsOf = <Row>(list: readonly Row[], most: number): (readonly Row[])[] =>
  Array.from({ length: Math.ceil(list.length / most) }, (_, part) => list.slice(part * most, (part + 1) * most))
