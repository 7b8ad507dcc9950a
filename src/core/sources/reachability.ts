import { SourceError } from './source-error.ts'

/** Time from the first request of a run in which one host at least must answer. */
export const NO_ANSWER_MS = 6_000
/** After a long pause of the process, answers that have arrived are read first. */
const GRACE_MS = 250

export type Reachability = ReturnType<typeof reachability>

export function reachability() {
  const none = new AbortController()
  let timer: NodeJS.Timeout | null = null
  let isReached = false
  const giveUp = () =>
    none.abort(new SourceError('source_unreachable', `no host answered within ${NO_ANSWER_MS / 1000} s`))
  return {
    /** Aborts with `source_unreachable` if no host answers in time: without a network, no retry helps. */
    signal: none.signal,
    asked(): void {
      if (!isReached) timer ??= setTimeout(() => (timer = setTimeout(giveUp, GRACE_MS)), NO_ANSWER_MS)
    },
    answered(): void {
      isReached = true
      if (timer) clearTimeout(timer)
    },
  }
}
