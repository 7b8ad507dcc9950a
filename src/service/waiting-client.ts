import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request and its response. */
interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** A client that waits for an answer under way. */
export interface WaitingClient {
  /** Returns the request and its response, or null once the client has disconnected. */
  readonly exchange: () => Exchange | null
  readonly isThere: () => boolean
}

/**
 * Returns the client of a request. Hold it, and not the request, while an answer is under way: the request holds its
 * connection, and with it all requests sent ahead, long after the client has gone.
 */
export function waitingClient(incoming: IncomingMessage, outgoing: ServerResponse): WaitingClient {
  let exchange: Exchange | null = { incoming, outgoing }
  outgoing.once('close', () => {
    exchange = null
  })
  return { exchange: () => exchange, isThere: () => exchange !== null }
}
