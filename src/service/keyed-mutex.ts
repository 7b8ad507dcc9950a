/** Runs tasks of one key one after the other, and tasks of different keys at once. */
export type KeyedMutex = <T>(key: string, run: () => Promise<T>) => Promise<T>

/** A mutex within this process. */
export function keyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return async (key, run) => {
    // The task before may have failed; its own caller was told.
    const own = (last.get(key) ?? Promise.resolve()).then(run, run)
    last.set(key, own)
    try {
      return await own
    } finally {
      if (last.get(key) === own) last.delete(key)
    }
  }
}
