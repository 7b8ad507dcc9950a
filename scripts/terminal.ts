import { inspect } from 'node:util'
import pico from 'picocolors'
import { visibleText } from '../src/core/contract/visible.ts'

// Whether a terminal wants colours, Node finds in its variables, NO_COLOR among them. Anything else has none, in CI either.
export const colours = pico.createColors(process.stdout.isTTY ? process.stdout.hasColors() : false)
const errorColours = pico.createColors(process.stderr.isTTY ? process.stderr.hasColors() : false)

/** Prints to standard output. Every command prints through here, so outside text is always escaped. */
export const say = (text: string): void => console.log(visibleText(text))

export const printColoured = (text: string): void => console.log(text)

export const printError = (what: unknown): void =>
  console.error(errorColours.red(visibleText(typeof what === 'string' ? what : inspect(what))))
