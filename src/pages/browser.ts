/** Root of the site on any host and path. Scripts are one folder below. */
export const ROOT = new URL('..', import.meta.url)

/** Returns a file of this site, whose contract this program shares; null: there is none. @throws if it cannot be loaded */
export async function readIfThere<Answer>(path: string): Promise<Answer | null> {
  const response = await fetch(new URL(path, ROOT))
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}.`)
  const answer: Answer = await response.json()
  return answer
}

/** Returns a file of this site. @throws if it cannot be loaded */
export async function read<Answer>(path: string): Promise<Answer> {
  const answer = await readIfThere<Answer>(path)
  if (answer === null) throw new Error(`There is no ${path}.`)
  return answer
}

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
