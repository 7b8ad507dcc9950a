import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { documentAt, provenText } from '../src/check/proof.ts'
import { sha256Of } from '../src/contract/digest.ts'
import { type LogPolicy, parsePolicy } from '../src/contract/log-policy.ts'
import { ProofError, parseSeen, provenDocument } from '../src/contract/log-proof.ts'
import { textAt } from '../src/tree/reader.ts'
import type { Output } from './command.ts'
import { checkedFiles } from './tree-reader.ts'
import { EXIT, UsageError } from './usage.ts'

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

/** Returns the policy in a file. @throws UsageError if there is none */
export function policyIn(file: string): LogPolicy {
  const policy = parsePolicy(textAt(file) ?? '')
  if (policy === null) throw new UsageError(`${file} is no tlog-policy: name a file of one.`)
  return policy
}

/** Proves one document, prints what is proven or what contradicts it, and keeps the checkpoint for the next time. */
export async function prove(
  { address, tree: named, policy: file, seen: folder, now }: Asked,
  output: Output,
): Promise<number> {
  const { tree, file: document } = documentAt(address, named)
  const policy = file === undefined ? null : policyIn(file)
  const own = join(folder ?? join(homedir(), '.local/state/quotetree'), `${sha256Of(tree).slice(0, 16)}.json`)
  const files = await checkedFiles(tree)
  const read = async (name: string) => {
    const bytes = await files.bytes(name)
    return bytes instanceof Uint8Array ? bytes : null
  }
  try {
    const proven = await provenDocument(document, { policy, seen: parseSeen(textAt(own)) }, { read, now })
    mkdirSync(dirname(own), { recursive: true })
    writeFileSync(own, `${JSON.stringify(proven.seen, null, 1)}\n`)
    const { entry, run, signedBy } = proven
    output.result({ file: document, run, signedBy, entry }, () => provenText(document, proven))
    return EXIT.done
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    const { fault, message, checkpoints } = error
    output.result({ file: document, fault, message, checkpoints }, () => [message, ...checkpoints].join('\n\n'))
    return EXIT.refused
  }
}
