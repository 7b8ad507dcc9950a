import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

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
  /** Pipelined requests, oldest first. */
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[]
  last: ServerResponse | null
  refuses: boolean
}

type Answering = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>
type Refusing = (error: Error) => Promise<string>

/**
 * Handles the requests of a server, one at a time per connection, and bounds what clients can occupy. Of pipelined requests
 * only the heads wait. A connection with invalid HTTP is refused and closed. If more than `most` connections are open, the
 * least recently used one is closed.
 */
export function handleConnections(server: Server, most: number, answer: Answering, unreadable: Refusing): void {
  // Ordered by last request: a map keeps insertion order.
  const open = new Map<Duplex, Connection>()
  let waitingInAll = 0

  function begin(connection: Connection, incoming: IncomingMessage, outgoing: ServerResponse): void {
    connection.last = outgoing
    void answer(incoming, outgoing)
  }
  /** In a turn of the event loop of its own: others are read, and have their turn, between two answers to one client. */
  const nextAfter = (connection: Connection, outgoing: ServerResponse | null) =>
    outgoing?.once('close', () => setImmediate(next, connection))
  function next(connection: Connection): void {
    const [request] = connection.waiting
    if (!request || !isSettled(connection)) return
    connection.waiting.shift()
    waitingInAll--
    const [incoming, outgoing] = request
    if (connection.waiting.length > 0) nextAfter(connection, outgoing)
    begin(connection, incoming, outgoing)
  }
  function wait(connection: Connection, incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (connection.waiting.length === 0) nextAfter(connection, connection.last)
    connection.waiting.push([incoming, outgoing])
    waitingInAll++
    const isFull = waitingInAll > MAX_WAITING_IN_ALL
    if (connection.waiting.length < MAX_WAITING && !isFull) return
    connection.refuses = true
    outgoing.shouldKeepAlive = false
    pauseForTurn(open)
    if (isFull) incoming.socket.destroy()
  }

  server.on('connection', (socket) => {
    const connection: Connection = { waiting: [], last: null, refuses: false }
    open.set(socket, connection)
    socket.once('close', () => {
      open.delete(socket)
      waitingInAll -= connection.waiting.length
      connection.waiting.length = 0
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
    if (connection.waiting.length === 0 && isSettled(connection)) begin(connection, incoming, outgoing)
    else wait(connection, incoming, outgoing)
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
  const final = connection.waiting.at(-1)?.[1] ?? connection.last
  // The head of a closing answer has been sent, and a second answer would be read as part of its body.
  if (final?.headersSent && !final.shouldKeepAlive) return
  // An answer that waits for the rest of its request would never be sent.
  if (final === null || final.writableFinished || !final.req.complete) end()
  else final.once('close', end)
}

const isSettled = ({ last }: Connection): boolean => last === null || last.writableFinished

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
