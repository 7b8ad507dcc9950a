/** A cache bounded in bytes that evicts the least recently used value. */
export interface Lru<T> {
  get(name: string): T | undefined
  /** Stores a value of `bytes` bytes, unless it exceeds the capacity. */
  put(name: string, value: T, bytes: number): void
}

/** Creates an empty cache of `capacity` bytes. */
export function lru<T>(capacity: number): Lru<T> {
  const kept = new Map<string, { readonly value: T; readonly bytes: number }>()
  let used = 0
  const drop = (name: string) => {
    used -= kept.get(name)?.bytes ?? 0
    kept.delete(name)
  }
  return {
    get(name) {
      const found = kept.get(name)
      if (found === undefined) return undefined
      // A map keeps insertion order, so the first entry is the least recently used.
      kept.delete(name)
      kept.set(name, found)
      return found.value
    },
    put(name, value, bytes) {
      drop(name)
      if (bytes > capacity) return
      kept.set(name, { value, bytes })
      used += bytes
      for (const oldest of kept.keys()) {
        if (used <= capacity) return
        drop(oldest)
      }
    },
  }
}
