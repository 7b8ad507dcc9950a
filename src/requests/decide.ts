import { isoOf } from '../contract/time.ts'
import { type RequestStatus } from '../contract/listing-request.ts'
import { line } from '../contract/words.ts'
import type { Change, RequestRecord } from './queue.ts'
import { REASONS, type ReasonCode, TRANSITIONS, reasonsFor, usualReason, wayTo } from './decisions.ts'

/** A decision that is not allowed. The message names the allowed ones. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError'
}

/** A reviewer's decision on a request. */
export interface Decision {
  readonly status: RequestStatus
  /** Reason code. Required if the new state has several reasons. */
  readonly code?: string
  /** Public sentence that replaces the default sentence of the reason. */
  readonly note?: string
  /** Id of the request that this one duplicates. */
  readonly duplicateOf?: string
  /** Slug of the approved listing. */
  readonly listing?: string
}

/** Maximum number of characters of a note. */
const NOTE_LENGTH = 500

/**
 * Returns a request after a decision, with each change of state appended.
 *
 * @param now in ms since 1970
 * @throws ReviewError
 */
export function decide(record: RequestRecord, decision: Decision, now: number): RequestRecord {
  const { status, note, duplicateOf, listing } = decision
  const way = wayTo(record.status, status)
  if (!way) {
    const open = TRANSITIONS[record.status].join(', ')
    throw new ReviewError(
      `${record.request_id} is ${record.status}, which ${open ? `can become ${open}` : 'is final'}; it cannot become ${status}`,
    )
  }
  const code = reasonOf(status, decision.code)
  if (note !== undefined && !line(NOTE_LENGTH).safeParse(note).success)
    throw new ReviewError(`--note takes one line of 1 to ${NOTE_LENGTH} visible characters. It is public.`)
  const at = isoOf(now)
  const changes = way.map((state): Change => {
    const why = state === status ? code : 'opened'
    const reason = state === status && note !== undefined ? note : REASONS[why].sentence
    return { at, status: state, reason_code: why, reason }
  })
  const last = changes.at(-1)
  return {
    ...record,
    status,
    updated_at: at,
    reason_code: last?.reason_code ?? null,
    reason: last?.reason ?? null,
    duplicate_of: duplicateOf ?? record.duplicate_of,
    listing: listing ?? record.listing,
    changes: [...record.changes, ...changes],
  }
}

function reasonOf(status: RequestStatus, given: string | undefined): ReasonCode {
  const allowed = reasonsFor(status)
  const code = given === undefined ? usualReason(status) : allowed.find((one) => one === given)
  if (code !== undefined) return code
  const what = given === undefined ? `${status} needs a reason` : `"${given}" is not a reason for ${status}`
  throw new ReviewError(`${what}. Choose from ${allowed.join(', ')}.`)
}
