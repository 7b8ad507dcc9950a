import type { ServerResponse } from 'node:http'

/**
 * Bounds the bodies held for slow clients to `most` bytes. A shared body counts once. Above the limit, the oldest
 * connections are closed. Call the returned function with each answer that was just ended.
 */
export function limitUnsent(most: number): (outgoing: ServerResponse, body: Buffer) => void {
  // Ordered by start: a map keeps insertion order.
  const unsent = new Map<ServerResponse, Buffer>()
  return (outgoing, body) => {
    // Most answers fit into the socket buffer at once.
    if (outgoing.writableFinished || outgoing.destroyed) return
    unsent.set(outgoing, body)
    outgoing.once('close', () => unsent.delete(outgoing))
    for (const oldest of unsent.keys()) {
      if (bytesIn(unsent) <= most) return
      unsent.delete(oldest)
      oldest.destroy()
    }
  }
}

const bytesIn = (unsent: ReadonlyMap<ServerResponse, Buffer>): number =>
  [...new Set(unsent.values())].reduce((sum, { length }) => sum + length, 0)
