import type { ServerResponse } from 'node:http'

/**
 * Keeps the bodies that clients are slow to take within `most` bytes, each counted once however many read it: beyond them,
 * the connections that began the longest ago are closed. Call the result with each answer that was just ended.
 */
export function limitUnsent(most: number): (outgoing: ServerResponse, body: Buffer) => void {
  // In the order they began: a map keeps the order of insertion.
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
    // Most answers fit what the system takes at once.
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
