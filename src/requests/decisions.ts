import { RequestStatus } from '../contract/listing-request.ts'
import { isoOf } from '../contract/time.ts'
import { line } from '../contract/words.ts'
import type { Change, RequestRecord } from './queue.ts'

/** Allowed transitions between states. All others are refused. */
export const TRANSITIONS: Readonly<Record<RequestStatus, readonly RequestStatus[]>> = {
  pending: ['in_review', 'withdrawn', 'expired'],
  in_review: ['approved', 'needs_info', 'rejected', 'duplicate', 'withdrawn', 'expired'],
  needs_info: ['in_review', 'withdrawn', 'expired'],
  approved: ['listed', 'withdrawn'],
  listed: [],
  rejected: [],
  duplicate: [],
  withdrawn: [],
  expired: [],
}

export const CLOSED: ReadonlySet<RequestStatus> = new Set(
  RequestStatus.options.filter((status) => TRANSITIONS[status].length === 0),
)

/**
 * Returns the states on the way from one to another: a decision on an unopened request opens it. Null if there is no way.
 */
export function wayTo(from: RequestStatus, to: RequestStatus): readonly RequestStatus[] | null {
  if (TRANSITIONS[from].includes(to)) return [to]
  const opened = TRANSITIONS[from].includes('in_review') && TRANSITIONS.in_review.includes(to)
  return opened && !AUTOMATIC.has(to) ? ['in_review', to] : null
}
/** States set by time or by a build, not by a decision. */
const AUTOMATIC = new Set<RequestStatus>(['expired', 'listed'])

/** A reason code: its public text, and the states it applies to. */
interface Reason {
  readonly states: readonly RequestStatus[]
  readonly sentence: string
}

export const REASONS = {
  opened: { states: ['in_review'], sentence: 'A reviewer is looking at it.' },
  meets_criteria: { states: ['approved'], sentence: 'It can be listed.' },
  relisted: {
    states: ['approved'],
    sentence: 'It is the delisted asset that had this slug before, and is listed again.',
  },
  in_feed: { states: ['listed'], sentence: 'It is in the feed.' },
  more_information: { states: ['needs_info'], sentence: 'More information is needed.' },
  contract_needed: { states: ['needs_info'], sentence: 'The contract or another proof of identity is needed.' },
  website_unreachable: { states: ['needs_info', 'rejected'], sentence: 'The website cannot be reached.' },
  already_listed: { states: ['duplicate'], sentence: 'It is already listed.' },
  same_request: { states: ['duplicate'], sentence: 'Another request is about the same asset.' },
  insufficient_information: {
    states: ['rejected'],
    sentence: 'The information is not sufficient to identify the asset.',
  },
  not_verifiable: { states: ['rejected'], sentence: 'The information could not be verified.' },
  impersonation: { states: ['rejected'], sentence: 'It impersonates another asset.' },
  no_public_market: { states: ['rejected'], sentence: 'It has no public market.' },
  out_of_scope: { states: ['rejected'], sentence: 'It is out of scope of this feed.' },
  spam: { states: ['rejected'], sentence: 'It is an advertisement.' },
  by_requester: { states: ['withdrawn'], sentence: 'The requester withdrew it.' },
  no_decision: { states: ['expired'], sentence: 'There was no activity for 90 days.' },
} as const satisfies Readonly<Record<string, Reason>>
export type ReasonCode = keyof typeof REASONS

/** Returns the reason codes of a state. */
export const reasonsFor = (status: RequestStatus): ReasonCode[] =>
  ReasonCodes.filter((code) => REASONS[code].states.some((state) => state === status))

/** Returns the default reason of a state, or undefined if one must be given. */
export const usualReason = (status: RequestStatus): ReasonCode | undefined => {
  const [first, ...others] = reasonsFor(status)
  return others.length === 0 || status === 'approved' ? first : undefined
}

const isReasonCode = (text: string): text is ReasonCode => Object.hasOwn(REASONS, text)
const ReasonCodes = Object.keys(REASONS).filter(isReasonCode)

/** A decision that is not allowed. The message names the allowed ones. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError'
}

export interface Decision {
  readonly status: RequestStatus
  /** Reason code. Required if the new state has several reasons. */
  readonly code?: string | undefined
  /** Public sentence that replaces the default sentence of the reason. */
  readonly note?: string | undefined
  /** Id of the request that this one duplicates. */
  readonly duplicateOf?: string | undefined
  readonly listing?: string | undefined
}

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
