/** Keeps what was used last, so many entries of it. */
export interface Recent<Entry> {
  get(key: string): Entry | undefined
  put(key: string, entry: Entry): void
}

/** An empty memory for at most `most` entries. */
export function recent<Entry>(most: number): Recent<Entry> {
  // A Map goes through its keys in the order they were set.
  const entries = new Map<string, Entry>()
  const put = (key: string, entry: Entry): void => {
    entries.delete(key)
    entries.set(key, entry)
    for (const oldest of entries.keys()) if (entries.size > most) entries.delete(oldest)
  }
  return {
    get: (key) => {
      const entry = entries.get(key)
      if (entry !== undefined) put(key, entry)
      return entry
    },
    put,
  }
}
