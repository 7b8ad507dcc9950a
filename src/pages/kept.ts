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

/** Keeps the view in the address, so that it can be shared; null: the usual one, which needs no parameter. */
export function keepInAddress(parts: Readonly<Record<string, string | null>>): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(parts))
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  history.replaceState(history.state, '', url)
}
