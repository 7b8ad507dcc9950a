/** Runs what it is given one after the other for one name, at once for different names. */
export type InTurn = <T>(name: string, run: () => Promise<T>) => Promise<T>

/** Turns within this process. */
export function turns(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return async (name, run) => {
    // What came before may have failed; that was told to who asked for it.
    const own = (last.get(name) ?? Promise.resolve()).then(run, run)
    last.set(name, own)
    try {
      return await own
    } finally {
      if (last.get(name) === own) last.delete(name)
    }
  }
}
