import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Requests of one connection that may wait for the answer before them. Browsers and proxies send none ahead; a client that
 * does gets its connection closed after these, and sends the rest again (RFC 9112 section 9.3.2).
 */
const MAX_WAITING = 100
/** The same for all connections together: a parsed request takes about 4 KB. */
const MAX_WAITING_IN_ALL = 4000
/** Requests that one read of 64 KiB can hold: what still comes in after the last that is answered. */
const MAX_IGNORED = 4000
/** A client that was refused has so long to read why. */
const LINGER_MS = 1000

interface Connection {
  /** Requests that wait for the answers before them, oldest first. */
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[]
  /** The answer that was begun last. */
  last: ServerResponse | null
  /** Set once the connection takes no more requests: those that came in since. */
  ignored: number | null
}

/** What the connections of a server lead to. */
export interface ConnectionHandlers {
  /** Answers a request. */
  readonly answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void
  /** The bytes that answer what could not be read as HTTP; null for none. */
  readonly unreadable: (error: Error) => Promise<string>
}

/**
 * Answers the requests of a server, one at a time for each connection, and keeps what clients can hold within limits:
 * requests sent ahead wait as heads only, a connection that sends what is no HTTP is refused and closed, and where more
 * than `most` connections are open, the one whose last request is the oldest is closed for the new one.
 */
export function handleConnections(server: Server, most: number, { answer, unreadable }: ConnectionHandlers): void {
  // In the order of their last requests: a map keeps the order of insertion.
  const open = new Map<Duplex, Connection>()
  let waitingInAll = 0

  function begin(connection: Connection, incoming: IncomingMessage, outgoing: ServerResponse): void {
    connection.last = outgoing
    answer(incoming, outgoing)
  }
  function next(connection: Connection): void {
    const [request] = connection.waiting
    if (!request || !isSettled(connection)) return
    connection.waiting.shift()
    waitingInAll--
    const [incoming, outgoing] = request
    if (connection.waiting.length > 0) outgoing.once('close', () => next(connection))
    begin(connection, incoming, outgoing)
  }
  function wait(connection: Connection, incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (waitingInAll >= MAX_WAITING_IN_ALL) {
      incoming.socket.destroy()
      return
    }
    if (connection.waiting.length === 0) connection.last?.once('close', () => next(connection))
    connection.waiting.push([incoming, outgoing])
    waitingInAll++
    if (connection.waiting.length < MAX_WAITING) return
    connection.ignored = 0
    outgoing.shouldKeepAlive = false
    incoming.socket.pause()
  }

  server.on('connection', (socket) => {
    const connection: Connection = { waiting: [], last: null, ignored: null }
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
    if (!connection || socket.destroyed) return
    if (connection.ignored !== null) {
      if (++connection.ignored > MAX_IGNORED) socket.destroy()
      return
    }
    open.delete(socket)
    open.set(socket, connection)
    if (connection.waiting.length === 0 && isSettled(connection)) begin(connection, incoming, outgoing)
    else wait(connection, incoming, outgoing)
  })
  // Node's own answer to an expectation that it does not know is 417; it may as well be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing))
  server.on('clientError', (error, socket) => {
    const connection = open.get(socket)
    // A client that said nothing, or is gone, reads no answer; one that was told to send no more gets no second one.
    if (!connection || connection.ignored !== null || !socket.writable || isSilent(socket)) {
      socket.destroy()
      return
    }
    connection.ignored = 0
    const refuse = () =>
      void unreadable(error).then(
        (bytes) => endWith(socket, bytes),
        () => socket.destroy(),
      )
    const final = connection.waiting.at(-1)?.[1] ?? connection.last
    // An answer that waits for the rest of its request will never be.
    if (final === null || final.writableFinished || !final.req.complete) refuse()
    else final.once('close', refuse)
  })
}

const isSettled = ({ last }: Connection): boolean => last === null || last.writableFinished

const isSilent = (socket: Duplex): boolean => 'bytesRead' in socket && socket.bytesRead === 0

/**
 * Ends an answer, whose head was written, to a request whose body was not read. What still comes in is thrown away for a
 * moment: a connection that is closed with unread bytes is reset, and the client may never see the answer.
 */
export function endUnread(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer | null): void {
  const end = () => {
    clearTimeout(timer)
    outgoing.end()
  }
  const timer = setTimeout(end, LINGER_MS)
  incoming.once('close', end)
  if (body) outgoing.write(body)
  else outgoing.flushHeaders()
  incoming.resume()
}

/** Ends a connection with an answer; like {@link endUnread}, it throws away what comes in for a moment. */
function endWith(socket: Duplex, bytes: string): void {
  if (socket.destroyed) return
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.end(bytes)
  socket.resume()
}
