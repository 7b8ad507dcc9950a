/** Collects from all live sources through the gateway given, and prints how each turn ended and the peak of memory in MiB. */
import { setTimeout as sleep } from 'node:timers/promises'
import { collect } from '../../src/core/sources/collect.ts'
import { connect } from '../../src/core/sources/http.ts'
import { liveSources } from '../../src/core/sources/table.ts'

const upstream = new URL(process.argv[2] ?? '')
const deadline = { at: performance.now() + 60_000, signal: AbortSignal.timeout(60_000) }
const connections: ReturnType<typeof connect>[] = []
const reports = await collect(liveSources({}), {
  at: Date.now(),
  now: () => performance.now(),
  signal: deadline.signal,
  connect(source) {
    // Without the pace, which only makes it take longer.
    const paced = { ...source, pace: { requests: 1000, perSeconds: 1 } }
    const connection = connect(paced, {
      upstream,
      userAgent: 'test',
      deadline,
      now: () => performance.now(),
      random: () => 0,
      pause: (ms, signal) => sleep(ms, undefined, { signal }),
    })
    connections.push(connection)
    return connection
  },
  wants: () => ({ listings: null, profiles: (ids) => ids.slice(0, 6), tokens: [{ platform: 'eth', address: '0x1' }] }),
})
const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024)
console.log(JSON.stringify({ peakMiB, ends: reports.map(({ source, error }) => [source.id, error?.code ?? null]) }))
await Promise.all(connections.map((connection) => connection.close()))
