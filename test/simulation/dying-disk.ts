import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

export class Killed extends Error {}

const WRITES = [
  'linkSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmSync',
  'rmdirSync',
  'utimesSync',
  'writeFileSync',
] as const

/** When a process dies: after a number of writes below its folder, counted from its start or from its journal's appearance. */
export interface Death {
  readonly after: 'start' | 'journal'
  readonly writes: number
}

/** Runs `work`, whose writes are lost from `death` on. Returns how many there were, and whether it was killed. */
export async function dying<T>(
  root: string,
  death: Death | null,
  work: () => Promise<T>,
): Promise<{ readonly result: T | Killed; readonly writes: number; readonly isKilled: boolean }> {
  let [writes, sinceJournal, isKilled] = [0, Number.NEGATIVE_INFINITY, false]
  const step = (name: string, args: readonly unknown[]) => {
    // A descriptor is one of the journal's; other folders are of other processes.
    if (typeof args[0] === 'string' && !args[0].startsWith(root)) return
    if (!isKilled) {
      writes++
      sinceJournal++
      isKilled = death !== null && (death.after === 'start' ? writes : sinceJournal) > death.writes
    }
    if (isKilled) throw new Killed(`killed at write ${writes}`)
    if (name === 'renameSync' && String(args[1]).endsWith('/.journal')) sinceJournal = 0
  }
  const real = WRITES.map((name) => [name, fs[name]] as const)
  for (const [name, write] of real)
    Reflect.set(fs, name, (...args: unknown[]): unknown => {
      step(name, args)
      return Reflect.apply(write, fs, args)
    })
  syncBuiltinESMExports()
  try {
    return { result: await work(), writes, isKilled }
  } catch (error) {
    // Whatever a dead process makes of it, it reaches no one.
    if (isKilled) return { result: new Killed('killed', { cause: error }), writes, isKilled }
    throw error
  } finally {
    for (const [name, write] of real) Reflect.set(fs, name, write)
    syncBuiltinESMExports()
  }
}
