import { inspect } from 'node:util'
import pico from 'picocolors'
import { visibleText } from '../src/core/contract/visible.ts'

/** Whether a stream is a terminal that wants colours (https://no-color.org). */
const wantsColours = (stream: { readonly isTTY?: boolean }): boolean =>
  stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'

export const colours = pico.createColors(wantsColours(process.stdout))
const errorColours = pico.createColors(wantsColours(process.stderr))

/** Prints to standard output. Every command prints through here, so outside text is always escaped. */
export const say = (text: string): void => console.log(visibleText(text))

export const printColoured = (text: string): void => console.log(text)

export const printError = (what: unknown): void =>
  console.error(errorColours.red(visibleText(typeof what === 'string' ? what : inspect(what))))
