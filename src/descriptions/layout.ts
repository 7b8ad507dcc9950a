import { type Json, printValue } from '../contract/text.ts'

/** What is shorter stands on one line. */
const WIDTH = 120

/** A description as a file: indented, so that a change of it is a change of few lines, and numbers in plain decimals. */
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
  // A line feed within a text is written as an escape, so one here is that of a longer member.
  if (length <= WIDTH && !lines.some((line) => line.includes('\n'))) return `${open}${lines.join(', ')}${close}`
  return `${open}\n${lines.map((line) => deeper + line).join(',\n')}\n${indent}${close}`
}
