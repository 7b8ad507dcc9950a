import { readFileSync } from 'node:fs'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { provenDocument } from '../../src/contract/log-proof.ts'
import { parsePolicy } from '../../src/contract/log-policy.ts'
import { SIGNATURE, keyOf, parseCheckpoint, printKey, toBase64 } from '../../src/contract/signed-note.ts'
import { cosign } from '../../src/delivery/cosign.ts'
import { bytesAt } from '../../src/tree/reader.ts'
import { signerOf } from '../../src/tree/run-log.ts'
import { Tree } from '../../src/tree/tree.ts'
import { fileErrors } from '../check/findings.ts'
import { NOON, leanRun, copyTree, newFolder } from '../sample-tree.ts'
import { continues, isSignedBy } from './independent.ts'

const [log, witness, another] = [7, 8, 9].map((seed) => signerOf(`example/${seed}`, Buffer.alloc(32, seed)))
if (!log || !witness || !another) throw new Error('no keys')
const witnessKey = keyOf(witness.key.name, SIGNATURE.cosignature, witness.key.key)
const RUNS = 3
const now = NOON + RUNS * 1_800_000
const published = newFolder()
let root: string
let known: { size: number; root: Buffer }
let answer: (response: ServerResponse, body: string) => void

/** What a witness does by C2SP tlog-witness: it cosigns a checkpoint that continues the one it knows. */
function witnessed(response: ServerResponse, body: string): void {
  const [old = '', ...rest] = body.split('\n')
  const proof = rest.slice(0, rest.indexOf(''))
  const note = rest.slice(rest.indexOf('') + 1).join('\n')
  const checkpoint = parseCheckpoint(note)
  if (!checkpoint || !isSignedBy(printKey(log?.key ?? witnessKey), note)) return void response.writeHead(403).end()
  if (old !== `old ${known.size}`)
    return void response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(`${known.size}\n`)
  const hashes = proof.map((line) => Buffer.from(line, 'base64'))
  const size = { before: known.size, now: checkpoint.size }
  if (!continues(size, known.root, Buffer.from(checkpoint.root, 'base64'), hashes))
    return void response.writeHead(422).end()
  response.end(cosignature(checkpoint.text))
}

function cosignature(of: string, signer = witness): string {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(NOON / 1000))
  const signature = signer?.sign(`cosignature/v1\ntime ${NOON / 1000}\n${of}`) ?? new Uint8Array()
  const { name, id } = witnessKey
  return `— ${name} ${toBase64(Buffer.concat([Buffer.from(id, 'hex'), time, signature]))}\n`
}

const server = createServer((request: IncomingMessage, response) => {
  void text(request).then((body) => answer(response, body))
})
let policy: string

beforeAll(async () => {
  for (let run = 0; run <= RUNS; run++) {
    // eslint-disable-next-line no-await-in-loop -- one after the other
    await leanRun(published, { now: NOON + run * 1_800_000, signers: [log] })
    const head = parseCheckpoint(readFileSync(join(published, 'log/checkpoint'), 'utf8'))
    if (run === 1) known = { size: 2, root: Buffer.from(head?.root ?? '', 'base64') }
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const at = server.address()
  const url = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}/w/`
  policy = `log ${printKey(log.key)}\nwitness w ${printKey(witnessKey)} ${url}\nquorum w\n`
})
afterAll(() => {
  server.close()
})
beforeEach(() => {
  root = newFolder()
  copyTree(published, root)
  answer = witnessed
})

const asked = (text = policy) => {
  const parsed = parsePolicy(text)
  if (!parsed) throw new Error('no policy')
  return cosign(new Tree(root), parsed, fetch, Date.now())
}
const proven = () =>
  provenDocument('api/mkt/assets/bitcoin.json', {
    read: async (file) => bytesAt(join(root, file)),
    now,
    policy: parsePolicy(policy),
    seen: null,
  })

it('counts under a policy once the witness has seen that the log continues the one it knows', async () => {
  await expect(proven()).rejects.toMatchObject({ fault: 'quorum' })
  expect(await asked()).toEqual(['example/8'])
  expect(await proven()).toMatchObject({ signedBy: ['example/7', 'example/8'] })
  expect(await fileErrors(root, now)).toEqual([])
  const checkpoint = readFileSync(join(root, 'log/checkpoint'), 'utf8')
  await leanRun(root, { now: now + 1_800_000, signers: [log] })
  expect(parseCheckpoint(readFileSync(join(root, 'log/checkpoint'), 'utf8'))?.size).toBe(RUNS + 2)
  expect(checkpoint).toContain('— example/8 ')
})

it.each<[string, typeof answer]>([
  ['fails', (response) => response.writeHead(500).end()],
  ['hangs up', (response) => response.destroy()],
  ['knows more than there is', (response) => response.writeHead(409).end('9\n')],
  ['never knows the same size', (response) => response.writeHead(409).end('1\n')],
  ['answers with a page', (response) => response.end('<h1>Welcome</h1>')],
  ['answers without an end', (response) => response.end('x'.repeat(100_000))],
  [
    'signs with the key of another',
    (response, body) => response.end(cosignature(body.slice(body.indexOf('example/7')), another)),
  ],
  ['signs another checkpoint', (response) => response.end(cosignature('example/7\n4\nAAAA\n'))],
])('a witness that %s changes nothing', async (_, act) => {
  answer = act
  expect(await asked()).toEqual([])
  for (const file of ['log/checkpoint', 'log/latest.tlog-proof'])
    expect(bytesAt(join(root, file))).toEqual(bytesAt(join(published, file)))
})

it('is asked of no witness without an address', async () => {
  answer = (response) => response.end('asked')
  expect(await asked(policy.replace(/ http\S+/, ''))).toEqual([])
})
