/**
 * Characters that outside text must not bring into a terminal or a log: control characters (ESC and the 8-bit CSI among
 * them), bidirectional controls, and invisible ones (format, filler, unassigned, private use, spaces other than U+0020).
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

const SHORT: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` }

const escape = (character: string): string =>
  SHORT[character] ??
  Array.from(
    { length: character.length },
    (_, unit) => String.raw`\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('')

const CREDENTIALS = /:\/\/[^\s/?#@"'<>,\\]+@/g

/**
 * Returns a text as one safe line for a terminal or a log: control and invisible characters are escaped, and so is
 * everything that a GitHub Actions runner would read as a command. Credentials in addresses are left out.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export const visible = (text: string): string =>
  text
    .replaceAll(UNSEEN, escape)
    .replaceAll(CREDENTIALS, '://***@')
    .replace(/^( *)::/, String.raw`$1\u003a:`)
    .replaceAll('##[', String.raw`\u0023#[`)

const MOST_QUOTED = 200

/** Returns the beginning of a text of others as {@link visible} does, to quote it in a message of one sentence. */
export const excerpt = (text: string): string =>
  visible(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text)

export const visibleText = (text: string): string => text.split('\n').map(visible).join('\n')

export const visibleLines = (lines: readonly string[]): string => lines.map(visible).join('\n')

export const escaped = (text: string): string => visible(text).replaceAll(/[\\`*_{}[\]<>()#|!~@&]/g, String.raw`\$&`)
