import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { nextLog, signerOf } from '../../src/tree/run-log.ts'
import { printKey } from '../../src/contract/signed-note.ts'
import { placeAt } from '../../src/tree/place.ts'
import { fileErrors } from '../check/findings.ts'
import { NOON, leanRun, newFolder } from '../sample-tree.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { bytesAt } from '../../src/tree/reader.ts'
import { faultOf } from './independent.ts'

const HALF_HOUR = 1_800_000
const RUNS = 5
const signer = signerOf('log.example/prices', Buffer.alloc(32, 7))
const key = printKey(signer.key)
const readFrom = (root: string) => async (file: string) => bytesAt(join(root, file))
const root = newFolder()
const checkpoints: string[] = []

beforeAll(async () => {
  for (let run = 0; run < RUNS; run++) {
    // eslint-disable-next-line no-await-in-loop -- one after the other
    await leanRun(root, { now: NOON + run * HALF_HOUR, signers: [signer], checkpoint: true })
    checkpoints.push(readFileSync(join(root, 'log/checkpoint'), 'utf8'))
  }
})
const now = NOON + (RUNS - 1) * HALF_HOUR + 60_000

describe('five runs', () => {
  it('are five entries, of which each checkpoint is a beginning of the next', async () => {
    expect(checkpoints.map((text) => text.split('\n')[1])).toEqual(['1', '2', '3', '4', '5'])
    for (const seen of [null, ...checkpoints])
      expect(await faultOf('api/mkt/assets/bitcoin.json', readFrom(root), { key, seen, now })).toBeNull()
    expect(await fileErrors(root)).toEqual([])
  })

  it('are carried by a checkpoint and by a site', async () => {
    for (const from of [root, 'tree alone']) {
      const [source, restored] = [newFolder(), newFolder()]
      cpSync(root, source, { recursive: true, preserveTimestamps: true })
      if (from !== root) rmSync(join(source, 'state'), { recursive: true })
      const place = placeAt(source, { timeoutMs: 1000, attempts: 1, pause: async () => {} })
      const next = { now: NOON + RUNS * HALF_HOUR, signers: [signer], from: [place] }
      expect(await leanRun(restored, next)).toMatchObject({ outcome: 'published' })
      const log = (folder: string) =>
        filesBelow(folder, 'log')
          .filter((file) => !file.includes('.p/6'))
          .toSorted()
      expect(log(restored)).toEqual(log(root))
      const known = { key, seen: checkpoints[4] ?? '', now: next.now }
      expect(await faultOf('api/mkt/assets/bitcoin.json', readFrom(restored), known)).toBeNull()
    }
  })
})

it('a damaged log is never begun anew', () => {
  const copy = newFolder()
  const entry = { manifest: '', index: '', inputs: '', commit: null, methodology: '9', generatedAt: '', staleAfter: '' }
  for (const file of ['log/tile/0/000.p/5', 'log/tile/entries/000.p/5', 'log/checkpoint']) {
    cpSync(root, copy, { recursive: true })
    expect(nextLog(copy, entry, { signers: [], keys: null })).toHaveLength(4)
    writeFileSync(join(copy, file), 'x')
    expect(nextLog(copy, entry, { signers: [], keys: null })).toEqual([])
    rmSync(join(copy, file))
    expect(nextLog(copy, entry, { signers: [], keys: null })).toEqual([])
  }
})
