import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { sum } from 'd3-array'

/**
 * Maximum number of pipelined requests per connection. Browsers and proxies do not pipeline. After these, the connection
 * closes and the client sends the rest again (RFC 9112 section 9.3.2).
 */
const MAX_WAITING = 100
/** Maximum number of pipelined requests of all connections. A parsed request takes about 7 KB until it is collected. */
const MAX_WAITING_IN_ALL = 500
/** Time for a refused client to read the response. */
const LINGER_MS = 1000

interface Connection {
  /** Answers to pipelined requests, oldest first. */
  readonly waiting: ServerResponse[]
  isBusy: boolean
  /** The answer to the newest request. */
  newest: ServerResponse | null
  refuses: boolean
}

type Answering = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown
type Refusing = (error: Error) => Promise<string>

/**
 * Handles the requests of a server, one at a time per connection, and bounds what clients can occupy. Of pipelined requests
 * only the heads wait. A connection with invalid HTTP is refused and closed. If more than `most` connections are open, the
 * least recently used one is closed.
 */
export function handleConnections(server: Server, most: number, answer: Answering, unreadable: Refusing): void {
  // Ordered by last request: a map keeps insertion order.
  const open = new Map<Duplex, Connection>()

  function next(connection: Connection): void {
    const outgoing = connection.waiting.shift()
    connection.isBusy = outgoing !== undefined
    if (!outgoing) return
    // Others are read, and have their turn of the event loop, between two answers to one client.
    outgoing.once('close', () => {
      if (connection.waiting.length > 0) setImmediate(next, connection)
      else connection.isBusy = false
    })
    answer(outgoing.req, outgoing)
  }

  server.on('connection', (socket) => {
    const waiting: ServerResponse[] = []
    open.set(socket, { waiting, isBusy: false, newest: null, refuses: false })
    socket.once('close', () => {
      open.delete(socket)
      waiting.length = 0
    })
    const [oldest] = open.keys()
    if (open.size > most) oldest?.destroy()
  })
  server.on('request', (incoming, outgoing) => {
    const { socket } = incoming
    const connection = open.get(socket)
    if (!connection || connection.refuses || socket.destroyed) return
    open.delete(socket)
    open.set(socket, connection)
    connection.newest = outgoing
    const { waiting, isBusy } = connection
    waiting.push(outgoing)
    if (!isBusy) return next(connection)
    const isFull = sum(open.values(), (one) => one.waiting.length) > MAX_WAITING_IN_ALL
    if (waiting.length < MAX_WAITING && !isFull) return
    connection.refuses = true
    outgoing.shouldKeepAlive = false
    pauseForTurn(open)
    if (isFull) socket.destroy()
  })
  // Node answers unknown expectations with 417. RFC 9110 section 10.1.1 allows ignoring them.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing))
  server.on('clientError', (error, socket) => {
    const connection = open.get(socket)
    // A client that sent nothing or is gone reads no answer. A refused one gets no second answer.
    if (!connection || connection.refuses || !socket.writable || isSilent(socket)) {
      socket.destroy()
      return
    }
    connection.refuses = true
    endAfterAnswers(socket, connection, () => unreadable(error))
  })
}

/**
 * Reads from no connection for the rest of this turn of the event loop, and never again from those that refuse. A read of
 * 64 KiB becomes some 1,800 requests of 7 KB each, however few of them are accepted, and one turn reads from every
 * connection. The newest is read first after it: a client that has just come does not wait for all who came before.
 */
function pauseForTurn(open: ReadonlyMap<Duplex, Connection>): void {
  const reading = [...open.keys()].filter((socket) => !socket.isPaused())
  for (const socket of reading) socket.pause()
  setImmediate(() => {
    for (const socket of reading.toReversed()) if (open.get(socket)?.refuses === false) socket.resume()
  })
}

function endAfterAnswers(socket: Duplex, connection: Connection, answer: () => Promise<string>): void {
  const end = () =>
    void answer().then(
      (bytes) => endWith(socket, bytes),
      () => socket.destroy(),
    )
  const final = connection.newest
  // The head of a closing answer has been sent, and a second answer would be read as part of its body.
  if (final?.headersSent && !final.shouldKeepAlive) return
  // An answer that waits for the rest of its request would never be sent.
  if (final === null || final.writableFinished || !final.req.complete) end()
  else final.once('close', end)
}

const isSilent = (socket: Duplex): boolean => 'bytesRead' in socket && socket.bytesRead === 0

/**
 * Ends a connection with an answer. Incoming bytes are discarded for a moment: closing a connection with unread bytes
 * resets it, and the client may never see the answer.
 */
function endWith(socket: Duplex, bytes: string): void {
  if (socket.destroyed) return
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.end(bytes)
  socket.resume()
}
