import { visibleLines } from '../contract/visible.ts'
import type { RequestRecord } from '../queue/queue.ts'

/** A request with its hints. */
export interface Waiting {
  readonly record: RequestRecord
  readonly hints: readonly string[]
}

const DAY_MS = 86_400_000

/** Returns the requests as a table for a terminal, each with its hints below it. */
export function listText(waiting: readonly Waiting[], now: number): string {
  if (waiting.length === 0) return 'No open requests.'
  return visibleLines(
    waiting.flatMap(({ record: { request_id, submitted_at, status, body }, hints }) => [
      `${request_id}  ${ageOf(submitted_at, now).padStart(5)}  ${status.padEnd(10)}  ${body.request_type.padEnd(6)}  ` +
        `${body.symbol.padEnd(10)}  ${body.name}`,
      ...hints.map((hint) => `    ! ${hint}`),
    ]),
  )
}

function ageOf(at: string, now: number): string {
  const days = Math.floor((now - Date.parse(at)) / DAY_MS)
  return days < 1 ? 'today' : `${days} d`
}

/** Returns all members of a request, for reviewers only. */
export function requestText({ record, hints }: Waiting): string {
  const { sender: _, fingerprint: __, key_digest: ___, body, changes, ...facts } = record
  const lines = (of: object) => Object.entries(of).flatMap(([name, value]: [string, unknown]) => member(name, value))
  return visibleLines([
    ...lines(facts),
    'request',
    ...lines(body).map((text) => `  ${text}`),
    'changes',
    ...changes.map(
      ({ at, status, reason_code, reason }) => `  ${at}  ${status}  ${reason_code ?? ''}  ${reason ?? ''}`,
    ),
    ...hints.map((hint) => `! ${hint}`),
  ])
}

function member(name: string, value: unknown): string[] {
  if (value === null || (Array.isArray(value) && value.length === 0)) return []
  if (Array.isArray(value)) return value.flatMap((one) => member(name, one))
  return [`${name.padEnd(16)} ${typeof value === 'string' ? value : JSON.stringify(value)}`]
}

/** Returns a unified diff without its header, with one line of context. */
export function diffText(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')]
  if (before === after) return ''
  let start = 0
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++
  let tail = 0
  while (tail < Math.min(old.length, now.length) - start && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const from = Math.max(0, start - 1)
  const removed = old.slice(start, old.length - tail)
  const added = now.slice(start, now.length - tail)
  const [head, foot] = [old.slice(from, start), old.slice(old.length - tail, old.length - tail + 1)]
  const around = head.length + foot.length
  return [
    `@@ -${from + 1},${removed.length + around} +${from + 1},${added.length + around} @@`,
    ...head.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...foot.map((line) => ` ${line}`),
  ].join('\n')
}
