/** Runs tasks with the same key one after another, and tasks with different keys concurrently. */
export type KeyedMutex = <T>(key: string, run: () => Promise<T>) => Promise<T>

/** Creates a mutex for this process. */
export function keyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return async (key, run) => {
    // The previous task may have failed. Its own caller handles that.
    const own = (last.get(key) ?? Promise.resolve()).then(run, run)
    last.set(key, own)
    try {
      return await own
    } finally {
      if (last.get(key) === own) last.delete(key)
    }
  }
}
