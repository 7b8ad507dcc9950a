/** Returns a function that begins some work at its first call. A failure is not kept: the next call begins again. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | null = null
  return () => {
    begun ??= work().catch((error: unknown) => {
      begun = null
      throw error
    })
    return begun
  }
}
