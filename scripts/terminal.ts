import { inspect } from 'node:util'
import { visibleText } from '../src/contract/visible.ts'

/** Prints to standard output. Every command prints here alone, so nothing from outside reaches a terminal or a log raw. */
export const print = (text: string): void => console.log(visibleText(text))

/** Prints a message to standard error; of an error, its message, stack and causes. */
export const printError = (what: unknown): void =>
  console.error(visibleText(typeof what === 'string' ? what : inspect(what)))
