import { join } from 'node:path'
import { sha256Of } from '../contract/digest.ts'
import { LOG, parseProof, printProof } from '../contract/log.ts'
import type { LogPolicy, Witness } from '../contract/log-policy.ts'
import { type HashAt, consistencyProof } from '../contract/merkle.ts'
import { type Checkpoint, parseNote, printNote, signedBy, toBase64 } from '../contract/signed-note.ts'
import { incomingFiles } from '../tree/incoming-files.ts'
import { isoOf } from '../contract/time.ts'
import { textAt } from '../tree/reader.ts'
import { textOf } from '../tree/remote.ts'
import { hashesBelow } from '../tree/run-log.ts'
import type { Tree } from '../tree/tree.ts'

/** How long a witness may take, and how much it may answer: a few lines. */
const [WAIT_MS, MOST_BYTES] = [10_000, 16_384]

/**
 * Asks the witnesses of a policy to cosign the last checkpoint (C2SP `tlog-witness`), and publishes it with their
 * cosignatures. A witness that fails, or whose answer is not its own signature, changes nothing.
 *
 * @param now in ms since 1970
 * @returns the names of those that cosigned
 * @throws TreeError if the folder cannot be written
 */
export async function cosign(
  tree: Tree,
  { witnesses }: LogPolicy,
  ask: typeof fetch,
  now: number,
): Promise<readonly string[]> {
  const proof = parseProof(textAt(join(tree.root, LOG.proof)) ?? '')
  if (proof === null || proof.checkpoint.signatures.length === 0) return []
  const { checkpoint } = proof
  const at = hashesBelow(tree.root, checkpoint.size)
  const cosigned = await Promise.all(
    witnesses.map(async (witness) => {
      const answer = await answerOf(witness, { checkpoint, at, ask }).catch(() => '')
      const note = parseNote(`${checkpoint.text}\n${answer}`)
      return note ? (await signedBy(witness, note)).slice(0, 1) : []
    }),
  )
  const added = cosigned.flat()
  if (added.length === 0) return []
  const whole = { ...checkpoint, signatures: [...checkpoint.signatures, ...added] }
  const texts = [
    [LOG.proof, printProof({ ...proof, checkpoint: whole })],
    [LOG.checkpoint, printNote(whole)],
  ] as const
  const incoming = incomingFiles(tree.incoming)
  for (const [path, text] of texts) incoming.put({ path, timestamp: isoOf(now) }, text)
  tree.adopt(texts.map(([path, text]) => ({ path, sha256: sha256Of(text) })))
  return witnesses.flatMap(({ name }, place) => (cosigned[place]?.length ? [name] : []))
}

interface Asked {
  readonly checkpoint: Checkpoint
  readonly at: HashAt
  readonly ask: typeof fetch
}

/** Returns the answer of a witness, which first says up to which size it knows the log. */
async function answerOf({ url }: Pick<Witness, 'url'>, asked: Asked, known = 0): Promise<string> {
  if (url === null) return ''
  const { checkpoint, at, ask } = asked
  const hashes = known === 0 ? [] : consistencyProof(known, [0, checkpoint.size], at)
  const response = await ask(`${url.replace(/\/$/, '')}/add-checkpoint`, {
    method: 'POST',
    body: [`old ${known}`, ...hashes.map(toBase64), '', printNote(checkpoint)].join('\n'),
    redirect: 'error',
    signal: AbortSignal.timeout(WAIT_MS),
  })
  const text = (response.body && (await textOf(response.body, MOST_BYTES))) ?? ''
  const stated = /^[1-9]\d{0,11}\n$/.test(text) ? Number(text) : 0
  if (response.status === 409 && known === 0 && stated > 0 && stated <= checkpoint.size)
    return answerOf({ url }, asked, stated)
  return response.ok ? text : ''
}
