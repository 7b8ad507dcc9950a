import { DAY_MS } from '../contract/time.ts'
import { visibleLines } from '../contract/visible.ts'
import type { RequestRecord } from './queue.ts'

export interface Waiting {
  readonly record: RequestRecord
  readonly hints: readonly string[]
}

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
