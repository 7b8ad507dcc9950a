import type { Contract } from '../contract/contract.ts'
import { Receipt, RequestsMembers } from '../contract/listing-request.ts'
import { endpoint } from './endpoint.ts'

/** The status of the queue as a tree without a server shows it: no request can have been made there. */
export const listingRequests = endpoint({
  name: 'listing-requests',
  path: '/listing-requests',
  description: 'State of the requests for a listing. Names are shown once a reviewer has opened the request.',
  example: '/listing-requests',
  parameters: {},
  members: RequestsMembers,
  health: () => ({ sourceStatus: 'ok', sourceError: null }),
  body: ({ requests }) => requests,
})

export const submitListingRequest: Contract = {
  name: 'listing-requests',
  method: 'POST',
  path: '/listing-requests',
  description: 'Asks for a listing, a change of one, or its end. Held for review; the answer names the request.',
  example: '/listing-requests',
  parameters: {},
  members: { request: Receipt },
}

/** Counts of no request at all. */
export const NO_REQUESTS = {
  counts: {
    pending: 0,
    in_review: 0,
    needs_info: 0,
    approved: 0,
    listed: 0,
    rejected: 0,
    duplicate: 0,
    withdrawn: 0,
    expired: 0,
  },
  oldest_pending_at: null,
  count: 0,
  rows: [],
}
