import type { Entry } from '../registry/schema.ts'

/** Returns the text of a registry file with another entry on its own line. */
export function withEntry(text: string, entry: Entry): string {
  const end = text.lastIndexOf(']')
  const before = text.slice(0, end).trimEnd()
  return `${before}${before.endsWith('[') ? '' : ','}\n  ${spell(entry)}\n]\n`
}

/** Returns JSON on one line with a space after each colon and comma, the format of the registry. */
function spell(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spell).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spell(member)}`)
    .join(', ')}}`
}
