import { inspect } from 'node:util'
import pico from 'picocolors'
import spinnerOf from 'yocto-spinner'
import { visibleText } from '../src/contract/visible.ts'

/** Whether a stream is a terminal that wants colours (https://no-color.org). */
const wantsColours = (stream: { readonly isTTY?: boolean }): boolean =>
  stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'

/** Colours for help texts; plain text where standard output is no terminal. */
export const colours = pico.createColors(wantsColours(process.stdout))
const errorColours = pico.createColors(wantsColours(process.stderr))

/** Prints to standard output. Every command prints through here, so outside text is always escaped. */
export const print = (text: string): void => console.log(visibleText(text))

/** Prints text of our own that may hold colours. */
export const printColoured = (text: string): void => console.log(text)

/** Prints a message to standard error. For an error, prints its message, stack and causes. */
export const printError = (what: unknown): void =>
  console.error(errorColours.red(visibleText(typeof what === 'string' ? what : inspect(what))))

export type ProgressLines = ReturnType<typeof progressLines>

/** Tells of progress on standard output, or nothing where a command is to be quiet. */
export function progressLines(isQuiet: boolean) {
  const tell = isQuiet ? () => {} : print
  const plain = { line: tell, waiting: tell, end: () => {} }
  if (isQuiet || !wantsColours(process.stdout) || 'CI' in process.env) return plain
  const spinner = spinnerOf({ stream: process.stdout })
  return {
    /** A line that stays. */
    line: print,
    /** What it waits for now: a moving line on a terminal, a line that stays elsewhere. */
    waiting: (text: string): void => {
      spinner.text = visibleText(text)
      spinner.start()
    },
    end: () => void spinner.stop(),
  }
}
