import * as z from 'zod'
import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { HEALTHY } from '../contract/envelope.ts'
import { ListingRequestBody, Receipt, RequestRow, RequestsMembers } from '../contract/listing-request.ts'
import { endpoint } from './endpoint.ts'

/** The public state of the queue, as of the last run. */
export const listingRequests = endpoint({
  name: 'listing-requests',
  group: 'Operations',
  path: '/listing-requests',
  description: 'State of the listing requests. Names appear once a reviewer has opened the request.',
  parameters: {},
  members: RequestsMembers,
  health: () => HEALTHY,
  body: ({ requests }) => requests,
})

export const submitListingRequest = {
  name: 'listing-requests',
  group: 'Operations',
  operation: 'submit-listing-request',
  method: 'POST',
  path: '/listing-requests',
  description:
    'Requests a new listing, an update or a delisting. It is held for review; the answer has its `request_id`.',
  example: '/listing-requests',
  parameters: {},
  members: { request: Receipt },
  takes: {
    schema: ListingRequestBody,
    example: { name: 'Grove Coin', symbol: 'GROVE', website: 'https://grove.example' },
  },
} as const satisfies EndpointSpec

/** Only a host with a queue can answer this, so it has no document and no entry in the index. */
export const oneListingRequest = {
  name: 'listing-requests',
  group: 'Operations',
  operation: 'listing-request',
  method: 'GET',
  path: '/listing-requests/:request_id',
  description: 'State of one listing request.',
  example: '/listing-requests',
  parameters: {
    request_id: {
      description: 'Id of the request, from the answer to the POST.',
      schema: z.string().regex(/^[0-9a-z-]{8,64}$/),
      type: 'string',
      allowed: 'the request_id of a request',
    },
  },
  members: { request: RequestRow },
} as const satisfies EndpointSpec
