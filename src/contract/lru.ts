/** A cache of bounded size that evicts the least recently used value. */
interface Lru<T> {
  get(name: string): T | undefined
  /** Stores a value of this size, 1 by default, unless it exceeds the capacity. */
  put(name: string, value: T, size?: number): void
}

/** Creates an empty cache. Its capacity has the unit of the sizes: bytes, or a number of values. */
export function lru<T>(capacity: number): Lru<T> {
  const kept = new Map<string, { readonly value: T; readonly size: number }>()
  let used = 0
  const drop = (name: string) => {
    used -= kept.get(name)?.size ?? 0
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
    put(name, value, size = 1) {
      drop(name)
      if (size > capacity) return
      kept.set(name, { value, size })
      used += size
      for (const oldest of kept.keys()) {
        if (used <= capacity) return
        drop(oldest)
      }
    },
  }
}
