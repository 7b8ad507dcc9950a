import { openRegistry } from '../../src/core/registry/registry.ts'
import { connect } from '../../src/core/sources/http.ts'
import { liveSources } from '../../src/core/sources/table.ts'
import { BASICS, type Run, newFolder, runOnce } from '../sample-tree.ts'

/** A live run that asks an upstream on loopback and waits for nothing. `onRequest` sees each path that is asked for. */
export const liveRun = async (
  upstream: { readonly url: URL },
  options: Partial<Run> & { readonly now: number },
  onRequest: (host: string, path: string) => void = () => {},
) => {
  const connections: ReturnType<typeof connect>[] = []
  try {
    return await runOnce({
      root: newFolder(),
      ...BASICS,
      kind: 'live',
      sources: liveSources({}),
      registry: openRegistry(),
      wallNow: Date.now(),
      elapsed: () => performance.now(),
      signal: new AbortController().signal,
      connect(source) {
        const connection = connect(source, {
          upstream: upstream.url,
          userAgent: 'test',
          deadline: { at: Infinity, signal: new AbortController().signal },
          now: () => performance.now(),
          random: () => 0,
          pause: async () => {},
        })
        connections.push(connection)
        return {
          stats: connection.stats,
          close: () => connection.close(),
          json(path, schema) {
            onRequest(source.host, path)
            return connection.json(path, schema)
          },
        }
      },
      listings: null,
      history: { perRun: 0, perSource: 0 },
      ...options,
    })
  } finally {
    await Promise.all(connections.map((connection) => connection.close()))
  }
}
