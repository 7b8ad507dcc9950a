import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { documentAt, proofPorts, provenText } from '../src/check/proof.ts'
import { sha256Of } from '../src/contract/digest.ts'
import { parsePolicy } from '../src/contract/log-policy.ts'
import { ProofError, provenDocument } from '../src/contract/log-proof.ts'
import { readJson } from '../src/contract/read-json.ts'
import { textAt } from '../src/tree/reader.ts'
import { nodeSha256 } from '../src/tree/run-log.ts'
import type { Output } from './command.ts'
import { checkedFiles } from './tree-reader.ts'
import { EXIT, UsageError } from './usage.ts'

const Seen = z.object({
  checkpoint: z.string(),
  keys: z.array(z.object({ key: z.string(), from: z.string(), until: z.string().nullable() })),
})

/** What a proof is asked for. */
interface Asked {
  readonly address: string
  readonly tree: string
  /** File of a policy. */
  readonly policy: string | undefined
  /** Folder of the checkpoints that this machine has seen. */
  readonly seen: string | undefined
  readonly now: number
}

/** Proves one document, prints what is proven or what contradicts it, and keeps the checkpoint for the next time. */
export async function prove(
  { address, tree: named, policy: file, seen: folder, now }: Asked,
  output: Output,
): Promise<number> {
  const { tree, file: document } = documentAt(address, named)
  const text = file === undefined ? null : textAt(file)
  const policy = text === null ? null : parsePolicy(text, nodeSha256)
  if (file !== undefined && policy === null) throw new UsageError(`${file} is no tlog-policy: name a file of one.`)
  const own = join(folder ?? join(homedir(), '.local/state/quotetree'), `${sha256Of(tree).slice(0, 16)}.json`)
  const ports = proofPorts(await checkedFiles(tree), now)
  try {
    const proven = await provenDocument(document, { policy, seen: readJson(textAt(own), Seen) }, ports)
    mkdirSync(dirname(own), { recursive: true })
    writeFileSync(own, `${JSON.stringify(proven.seen, null, 1)}\n`)
    const { entry, size, signedBy } = proven
    output.result({ file: document, size, signedBy, entry }, () => provenText(document, proven))
    return EXIT.done
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    const { fault, message, checkpoints } = error
    output.result({ file: document, fault, message, checkpoints }, () => [message, ...checkpoints].join('\n\n'))
    return EXIT.refused
  }
}
