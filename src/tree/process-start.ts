import { readFileSync } from 'node:fs'

/** Position of the start time after the command's name in `/proc/<pid>/stat`: field 22 of proc(5), and the name is field 2. */
const START_FIELD = 22 - 3

/**
 * Returns the boot id and the clock tick in which a process started, which distinguish it from an earlier process with the
 * same id: in a container every run may have the id 1. Returns null if the system does not tell, or there is no process.
 */
export function processStart(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may contain spaces and parentheses.
    const tick = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD]
    return tick === undefined ? null : `${boot} ${tick}`
  } catch {
    return null
  }
}
