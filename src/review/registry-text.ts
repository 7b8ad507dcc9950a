import type { Entry } from '../registry/schema.ts'

/** The text of a registry file with one entry more: one entry a line, as the others are. */
export function withEntry(text: string, entry: Entry): string {
  const end = text.lastIndexOf(']')
  const before = text.slice(0, end).trimEnd()
  return `${before}${before.endsWith('[') ? '' : ','}\n  ${spell(entry)}\n]\n`
}

/** JSON on one line with a space behind each colon and comma, as the registry is written. */
function spell(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spell).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spell(member)}`)
    .join(', ')}}`
}
