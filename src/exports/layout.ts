import { type Json, printValue } from '../contract/text.ts'

/** Values up to this width are printed on one line. */
const WIDTH = 120

/** Formats JSON with indentation, so that changes give small diffs, and with numbers in plain decimals. */
export const layout = (value: Json): string => `${laid(value, '')}\n`

function laid(value: Json, indent: string): string {
  if (typeof value !== 'object' || value === null) return printValue(value)
  const deeper = `${indent} `
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const lines = Object.entries(value).map(([name, member]) =>
    isList ? laid(member, deeper) : `${JSON.stringify(name)}: ${laid(member, deeper)}`,
  )
  const length = lines.reduce((sum, line) => sum + line.length + 2, indent.length)
  // Line feeds within texts are escaped, so a line feed here belongs to a multi-line member.
  if (length <= WIDTH && !lines.some((line) => line.includes('\n'))) return `${open}${lines.join(', ')}${close}`
  return `${open}\n${lines.map((line) => deeper + line).join(',\n')}\n${indent}${close}`
}
