import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { filesInFolder } from '../../src/check/file-inspection.ts'
import { verifyTree } from '../../src/check/verify.ts'
import { specs } from '../../src/endpoints/table.ts'
import { hostFiles } from '../../scripts/host-files.ts'
import { randomOf } from '../../src/sources/sample/sample.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { type Host, freePort, has, nginxWith } from '../service/running.ts'
import { COMPOSITION, Month } from './month.ts'

// No power is cut, and the folders are in memory: a program is started for each publication otherwise.
vi.mock(import('../../src/tree/folders.ts'), async (original) => ({ ...(await original()), syncFiles: () => {} }))

// MONTH_DAYS=30 MONTH_LISTINGS=100 npx vitest run --project deep test/simulation/thirty-days
const DAYS = Number(process.env['MONTH_DAYS'] ?? 3)
const LISTINGS = Number(process.env['MONTH_LISTINGS'] ?? 30)
/** Half hours between two runs, where a half-hourly month takes too long: every tenth day is half-hourly all the same. */
const STEP = Number(process.env['MONTH_STEP'] ?? 1)
const MEMORY = '/dev/shm'
const READS = 200
/** The program answers it, from its queue. */
const QUEUE = 'api/mkt/listing-requests.json'
const ENCODINGS = ['identity', 'gzip', 'br'] as const
const SUFFIX = { identity: '', gzip: '.gz', br: '.br' } as const
const BROTLI = '/usr/lib/nginx/modules/ngx_http_brotli_static_module.so'

const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'month-'))
const month = new Month(folder, { days: DAYS, listings: LISTINGS, step: STEP })
const random = randomOf(200)
const hosts: Host[] = []

beforeAll(async () => {
  const site = async () => ({
    specs,
    tree: month.root,
    server: '127.0.0.1:9',
    port: await freePort(),
    brotli: true,
    database: null,
  })
  if (has('nginx') && existsSync(BROTLI)) {
    const given = await site()
    hosts.push(await nginxWith(hostFiles('nginx', given)[0]?.text ?? '', given.port, [BROTLI]))
  }
})
afterAll(async () => {
  await Promise.all(hosts.map((host) => host.end()))
  rmSync(folder, { recursive: true, force: true })
})

/** Reads the index and a document behind each host in each encoding, and says which bytes are not those of the tree. */
async function staleBytes(): Promise<string[]> {
  const documents = filesBelow(month.root, 'api').filter((file) => file.endsWith('.json') && file !== QUEUE)
  const chosen = ['api/mkt.json', documents[Math.floor(random() * documents.length)] ?? 'api/mkt.json']
  const asked = hosts.flatMap(({ url }) =>
    chosen.flatMap((file) => ENCODINGS.map((encoding) => ({ url, file, encoding }))),
  )
  const faults = await Promise.all(
    asked.map(async ({ url, file, encoding }) => {
      const answer = await fetch(`${url}/${file.slice(0, -5)}`, { headers: { 'accept-encoding': encoding } })
      const text = await answer.text()
      const used = answer.headers.get('content-encoding') ?? 'identity'
      const best = existsSync(join(month.root, file + SUFFIX[encoding])) ? encoding : 'identity'
      const isRight = answer.status === 200 && used === best && text === readFileSync(join(month.root, file), 'utf8')
      return isRight ? [] : [`${url}/${file} as ${encoding}: ${answer.status}, ${used}, ${text.slice(0, 100)}`]
    }),
  )
  return faults.flat()
}

describe('thirty days', () => {
  it(
    'loses nothing to kills, outages, losses, gaps and a crash, and serves no stale byte',
    async () => {
      const faults: string[] = []
      const say = (slot: number, found: readonly string[]) => {
        // At once: a month that is cut off has shown something all the same.
        if (found.length > 0) console.log(`run ${slot}: ${found.slice(0, 5).join('\n  ')}`)
        faults.push(...found)
      }
      let [reads, isKilled] = [0, false]
      for (let slot = 0; slot < month.slots; slot++) {
        if (!month.isDue(slot)) continue
        const killed = month.tally['killed'] ?? 0
        say(slot, await month.step(slot))
        isKilled = (month.tally['killed'] ?? 0) > killed
        if (isKilled) continue
        say(slot, month.seriesFaults(2 / LISTINGS))
        const moments = Math.ceil(((slot + STEP) / month.slots) * READS) - reads
        for (let moment = 0; moment < moments; moment++) {
          reads++
          say(slot, await staleBytes())
        }
        if (slot % 24 !== 0) continue
        say(slot, [...month.closesFaults(), ...month.eventFaults()])
        console.log(
          `day ${slot / 48}: ${JSON.stringify(month.tally)}, ${(process.cpuUsage().user / 1e6).toFixed(0)} s of CPU`,
        )
      }
      say(month.slots, [...month.seriesFaults(1), ...month.closesFaults(), ...month.eventFaults()])
      const verified = await verifyTree(filesInFolder(month.root), {
        specs,
        composition: COMPOSITION,
        now: month.ledger.newest,
      })
      expect(faults).toEqual([])
      expect(verified.findings).toEqual([])
      expect(verified.figures).toBeGreaterThan(1000)
      expect(month.tally['killed']).toBe(3)
      expect(reads).toBeGreaterThanOrEqual(READS)
    },
    12 * 3_600_000,
  )
})
