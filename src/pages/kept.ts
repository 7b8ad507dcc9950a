/** Returns what this browser keeps under a name; null: nothing, or no storage. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a text in this browser. Without storage, it holds for this page alone. */
export function keep(name: string, text: string): void {
  try {
    localStorage.setItem(name, text)
  } catch {
    // A browser may forbid it.
  }
}
