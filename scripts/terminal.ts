import { inspect } from 'node:util'
import { visibleText } from '../src/contract/visible.ts'

/** Prints to standard output. Every command prints through here, so outside text is always escaped. */
export const print = (text: string): void => console.log(visibleText(text))

/** Prints a message to standard error. For an error, prints its message, stack and causes. */
export const printError = (what: unknown): void =>
  console.error(visibleText(typeof what === 'string' ? what : inspect(what)))
