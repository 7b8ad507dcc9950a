/** Words that sources add to a name or leave out, so that they tell no two assets apart. */
const GENERIC = new Set(
  'chain coin dao exchange finance foundation lab labs mainnet network project protocol the token'.split(' '),
)

const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Whether names may be of one asset: "Fetch.ai" and "Fetch.AI Token", but not "Velo" and "Velodrome Finance". */
export function namesAlike(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  if (a.length === 0 || b.length === 0) return false
  const essence = (words: readonly string[]): string => words.filter((word) => !GENERIC.has(word)).join('')
  const [x, y] = [essence(a), essence(b)]
  return a.join('') === b.join('') || (x !== '' && x === y) || (a[0] === b[0] && !GENERIC.has(a[0] ?? ''))
}
