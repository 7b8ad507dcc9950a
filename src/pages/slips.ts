/**
 * Returns the number of letters to insert, remove or replace between two words (Levenshtein). The elements of embed.js are
 * too small for a library with it.
 */
export function slips(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1]
    for (let at = 0; at < b.length; at++)
      next.push(Math.min((row[at] ?? 0) + Number(letter !== b[at]), (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    row = next
  }
  return row[b.length] ?? 0
}
