import type { ServerResponse } from 'node:http'

/**
 * Bounds the bodies held for slow clients to `most` bytes. A shared body counts once. Above the limit, the oldest
 * connections are closed. Call the returned function with each answer that was just ended.
 */
export function limitUnsent(most: number): (outgoing: ServerResponse, body: Buffer) => void {
  // Ordered by start: a map keeps insertion order.
  const unsent = new Map<ServerResponse, Buffer>()
  const readers = new Map<Buffer, number>()
  let bytes = 0

  function release(outgoing: ServerResponse): void {
    const body = unsent.get(outgoing)
    if (!body) return
    unsent.delete(outgoing)
    const left = (readers.get(body) ?? 1) - 1
    if (left > 0) readers.set(body, left)
    else {
      readers.delete(body)
      bytes -= body.length
    }
  }
  return (outgoing, body) => {
    // Most answers fit into the socket buffer at once.
    if (outgoing.writableFinished || outgoing.destroyed) return
    const before = readers.get(body) ?? 0
    if (before === 0) bytes += body.length
    readers.set(body, before + 1)
    unsent.set(outgoing, body)
    outgoing.once('close', () => release(outgoing))
    for (const oldest of unsent.keys()) {
      if (bytes <= most) return
      release(oldest)
      oldest.destroy()
    }
  }
}
