/** The capacity has the unit of the sizes. */
export function lru<T>(capacity: number) {
  const kept = new Map<string, { readonly value: T; readonly size: number }>()
  let used = 0
  let newest: string | undefined
  const drop = (name: string) => {
    used -= kept.get(name)?.size ?? 0
    kept.delete(name)
  }
  return {
    get(name: string): T | undefined {
      const found = kept.get(name)
      if (found === undefined) return undefined
      if (name === newest) return found.value
      newest = name
      // A map keeps insertion order, so the first entry is the least recently used.
      kept.delete(name)
      kept.set(name, found)
      return found.value
    },
    put(name: string, value: T, size = 1): void {
      drop(name)
      if (size > capacity) return
      newest = name
      kept.set(name, { value, size })
      used += size
      for (const oldest of kept.keys()) {
        if (used <= capacity) return
        drop(oldest)
      }
    },
  }
}
