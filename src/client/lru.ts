/** A cache that evicts the least recently used value. */
export interface Lru<Value> {
  get(key: string): Value | undefined
  put(key: string, value: Value): void
  remove(key: string): void
}

/** Creates an empty cache of at most `capacity` values. */
export function lru<Value>(capacity: number): Lru<Value> {
  // A map keeps insertion order, so the first key is the least recently used.
  const values = new Map<string, Value>()
  const put = (key: string, value: Value): void => {
    values.delete(key)
    values.set(key, value)
    for (const oldest of values.keys()) if (values.size > capacity) values.delete(oldest)
  }
  return {
    get: (key) => {
      const value = values.get(key)
      if (value !== undefined) put(key, value)
      return value
    },
    put,
    remove: (key) => void values.delete(key),
  }
}
