/**
 * What a terminal or a log must not get from outside: characters that are acted on (controls, ESC and the 8-bit CSI among
 * them), that reorder a line, or that nobody sees: formats, fillers, unassigned and private ones, spaces but U+0020.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

const SHORT: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` }

/** A character as JSON writes it, so that JSON stays JSON and says the same. */
const escape = (character: string): string =>
  SHORT[character] ??
  Array.from(
    { length: character.length },
    (_, unit) => String.raw`\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('')

/**
 * A text as one line for a terminal or a log: everything that could act on either, or hide, is shown by its code. So is
 * what the runner of GitHub Actions takes for a command in a line that a step prints.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export const visible = (text: string): string =>
  text
    .replaceAll(UNSEEN, escape)
    .replace(/^( *)::/, String.raw`$1\u003a:`)
    .replaceAll('##[', String.raw`\u0023#[`)

/** A text of several lines for a terminal or a log: {@link visible}, but its line breaks stay. */
export const visibleText = (text: string): string => text.split('\n').map(visible).join('\n')

/** Lines for a terminal or a log, of which each stays one line whatever it holds. */
export const visibleLines = (lines: readonly string[]): string => lines.map(visible).join('\n')
