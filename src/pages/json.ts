/** Returns a value within unknown JSON, or undefined. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Object.entries(found).find(([own]) => own === name)?.[1]
  }
  return found
}

/** Returns a text within unknown JSON, or the empty string. */
export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** Returns the members of an object within unknown JSON. */
export const membersAt = (value: unknown, ...path: readonly string[]): readonly (readonly [string, unknown])[] => {
  const found = at(value, ...path)
  return typeof found === 'object' && found !== null ? Object.entries(found) : []
}

/** Returns the values of a list within unknown JSON. */
export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
