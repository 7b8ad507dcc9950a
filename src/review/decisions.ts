import { RequestStatus } from '../contract/listing-request.ts'

/** From each state, the states that may follow. The one table; whatever it does not name is refused. */
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

/** Nothing follows on these. */
export const CLOSED: ReadonlySet<RequestStatus> = new Set(
  RequestStatus.options.filter((status) => TRANSITIONS[status].length === 0),
)

/**
 * The states to go through from one to another: a decision on what nobody has opened opens it. Null where there is no way.
 */
export function wayTo(from: RequestStatus, to: RequestStatus): readonly RequestStatus[] | null {
  if (TRANSITIONS[from].includes(to)) return [to]
  const opened = TRANSITIONS[from].includes('in_review') && TRANSITIONS.in_review.includes(to)
  return opened && !AUTOMATIC.has(to) ? ['in_review', to] : null
}
/** States that come by time or by a build, and are no decision. */
const AUTOMATIC = new Set<RequestStatus>(['expired', 'listed'])

/** Why a request came into a state: the sentence that everybody reads, and the states it explains. */
export interface Reason {
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
  contract_needed: { states: ['needs_info'], sentence: 'The contract, or another proof of what it is, is needed.' },
  website_unreachable: { states: ['needs_info', 'rejected'], sentence: 'The website cannot be reached.' },
  already_listed: { states: ['duplicate'], sentence: 'It is listed already.' },
  same_request: { states: ['duplicate'], sentence: 'Another request asks for the same.' },
  insufficient_information: { states: ['rejected'], sentence: 'What is needed to tell the asset was not given.' },
  not_verifiable: { states: ['rejected'], sentence: 'What was said could not be confirmed.' },
  impersonation: { states: ['rejected'], sentence: 'It passes itself off as another asset.' },
  no_public_market: { states: ['rejected'], sentence: 'It is not traded in public.' },
  out_of_scope: { states: ['rejected'], sentence: 'It is not what this feed lists.' },
  spam: { states: ['rejected'], sentence: 'It is an advertisement.' },
  by_requester: { states: ['withdrawn'], sentence: 'Withdrawn by who sent it.' },
  no_decision: { states: ['expired'], sentence: 'Nothing happened for 90 days.' },
} as const satisfies Readonly<Record<string, Reason>>
export type ReasonCode = keyof typeof REASONS

/** Reason codes that explain a state. */
export const reasonsFor = (status: RequestStatus): ReasonCode[] =>
  ReasonCodes.filter((code) => REASONS[code].states.some((state) => state === status))

/** The reason that a state has unless another is given; undefined where one must be. */
export const usualReason = (status: RequestStatus): ReasonCode | undefined => {
  const [first, ...others] = reasonsFor(status)
  return others.length === 0 || status === 'approved' ? first : undefined
}

const isReasonCode = (text: string): text is ReasonCode => Object.hasOwn(REASONS, text)
const ReasonCodes = Object.keys(REASONS).filter(isReasonCode)
