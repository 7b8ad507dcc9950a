import { readFileSync } from 'node:fs'

/** Position of the start time behind the command's name in `/proc/<pid>/stat`: field 22 of proc(5), the name being the second. */
const START_FIELD = 22 - 3

/**
 * What tells a process from an earlier one with the same id: the boot of the machine, and the clock tick in which the
 * process started. In a container every run may have the id 1. Null where the system does not say, or no process has
 * the id.
 */
export function processStart(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold spaces and parentheses.
    const tick = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD]
    return tick === undefined ? null : `${boot} ${tick}`
  } catch {
    return null
  }
}
