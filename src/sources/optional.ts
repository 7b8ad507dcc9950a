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

/** Waits for the list of a venue and for what explains its rows, by name, such as its instruments, each of which may be missing. */
export async function explained<Tickers, Row>(
  list: Promise<Tickers>,
  by: Readonly<Record<string, Promise<readonly Row[]>>>,
): Promise<{ tickers: Tickers; known: Row[]; missing: Skipped[] }> {
  const asked = Object.entries(by).map(([what, answer]) => ({ what, answer }))
  const [tickers, { answers, missing }] = await Promise.all([list, optional(asked)])
  return { tickers, known: answers.flat(), missing }
}
