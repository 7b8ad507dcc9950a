import { closest, distance } from 'fastest-levenshtein'

/** Longest distance, as a share of the length, at which two names may be a slip of the other. */
const ALIKE = 0.5

export const suggestion = (name: string, names: readonly string[]): string =>
  hint(name, names).trim() || `It takes ${names.join(', ')}.`

/** The question after a sentence about a name that is none of some names; empty if none of them is near. */
export function hint(name: string, names: readonly string[], prefix = ''): string {
  const near = nearest(name, names)
  return near === null ? '' : ` Did you mean ${prefix}${near}?`
}

const simple = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9.]/g, '')

/** Returns the nearest of some names: one that has this as a part, or differs in a few letters; null if none does. */
export function nearest(name: string, names: readonly string[]): string | null {
  const own = simple(name)
  if (own === '' || names.length === 0) return null
  const whole = names.find((one) => simple(one) === own)
  const part = own.length < 3 ? undefined : names.find((one) => simple(one).includes(own) || endsAlike(one, own))
  if (whole ?? part) return whole ?? part ?? null
  const begun = own.length < 5 ? undefined : names.find((one) => distance(own, simple(one).slice(0, own.length)) <= 2)
  const near = closest(own, names.map(simple))
  const found = names.find((one) => simple(one) === near)
  const isNear = found !== undefined && distance(own, near) <= Math.max(2, near.length * ALIKE)
  return isNear ? found : (begun ?? null)
}

const endsAlike = (path: string, own: string): boolean => simple(path).split('.').at(-1) === own.split('.').at(-1)
