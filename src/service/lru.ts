/** Values by name, up to so many bytes; the one that was used the longest ago makes room. */
export interface Lru<T> {
  get(name: string): T | undefined
  /** Keeps a value of so many bytes; one that is larger than all the room is not kept. */
  put(name: string, value: T, bytes: number): void
}

/** An empty cache of so many bytes. */
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
      // A map keeps the order of insertion, so the first was used the longest ago.
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
