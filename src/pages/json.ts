/** A value within JSON that nothing is known of; undefined where there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Object.entries(found).find(([own]) => own === name)?.[1]
  }
  return found
}

/** A text within JSON, empty where there is none. */
export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** Members of an object within JSON, none where there is none. */
export const membersAt = (value: unknown, ...path: readonly string[]): readonly (readonly [string, unknown])[] => {
  const found = at(value, ...path)
  return typeof found === 'object' && found !== null ? Object.entries(found) : []
}

/** Values of a list within JSON, none where there is none. */
export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
