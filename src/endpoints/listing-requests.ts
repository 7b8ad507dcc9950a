import * as z from 'zod'
import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { ListingRequestBody, Receipt, RequestRow, RequestsMembers } from '../contract/listing-request.ts'
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

export const submitListingRequest: EndpointSpec = {
  name: 'listing-requests',
  operation: 'submit-listing-request',
  method: 'POST',
  path: '/listing-requests',
  description: 'Asks for a listing, a change of one, or its end. Held for review; the answer names the request.',
  example: '/listing-requests',
  parameters: {},
  members: { request: Receipt },
  takes: {
    schema: ListingRequestBody,
    example: { name: 'Grove Coin', symbol: 'GROVE', website: 'https://grove.example' },
  },
}

/** The state of one request: only a host with a queue can answer it, so there is no document and no line in the index. */
export const oneListingRequest: EndpointSpec = {
  name: 'listing-requests',
  operation: 'listing-request',
  method: 'GET',
  path: '/listing-requests/:request_id',
  description: 'State of one request for a listing.',
  example: '/listing-requests',
  parameters: {
    request_id: {
      description: 'Name of the request, from the answer to it.',
      schema: z.string().regex(/^[0-9a-z-]{8,64}$/),
      type: 'string',
      allowed: 'the request_id of a request',
    },
  },
  members: { request: RequestRow },
}
