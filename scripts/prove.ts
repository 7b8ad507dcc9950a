import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { bytesAt } from '../src/check/file-inspection.ts'
import { sha256Of } from '../src/contract/digest.ts'
import { type LogPolicy, parsePolicy } from '../src/contract/log-policy.ts'
import { provingFiles } from '../src/contract/archived-proof.ts'
import { ProofError, provenDocument, type ProvenDocument } from '../src/contract/log-proof.ts'
import type { PastSnapshot } from '../src/delivery/read-archive.ts'
import { textAt } from '../src/tree/reader.ts'
import type { Output } from './command.ts'
import { checkedFiles } from './tree-reader.ts'
import { EXIT, UsageError } from './usage.ts'
import { PREFIX } from '../src/contract/prefix.ts'
import { specs } from '../src/endpoints/table.ts'
import { resolve } from '../src/service/resolve.ts'
import { isSite } from '../src/tree/remote.ts'

interface Asked {
  readonly address: string
  readonly tree: string
  /** File of a policy. */
  readonly policy: string | undefined
  /** Folder of the last proofs that this machine saw. */
  readonly seen: string | undefined
  readonly now: number
  /** The snapshot whose document is proven; null: that of the last run. */
  readonly past: PastSnapshot | null
}

/** Returns the policy in a file. @throws UsageError if there is none */
export function policyIn(file: string): LogPolicy {
  const policy = parsePolicy(textAt(file) ?? '')
  if (policy === null) throw new UsageError(`${file} is no tlog-policy: name a file of one.`)
  return policy
}

/** Proves one document, prints what is proven or what contradicts it, and keeps the last proof of the log for the next time. */
export async function prove(
  { address, tree: named, policy: file, seen: folder, now, past }: Asked,
  output: Output,
): Promise<number> {
  const { tree, file: document } = documentAt(address, named)
  const policy = file === undefined ? null : policyIn(file)
  const own = join(folder ?? join(homedir(), '.local/state/quotetree'), `${sha256Of(tree).slice(0, 16)}.tlog-proof`)
  const files = await checkedFiles(tree)
  const read = (name: string) => bytesAt(files, name)
  try {
    const archived = past ? await provingFiles(past.read) : undefined
    const proven = await provenDocument(document, { read, now, policy, seen: textAt(own) }, archived)
    mkdirSync(dirname(own), { recursive: true })
    writeFileSync(own, proven.seen)
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

/**
 * Returns the tree and the file that an address names: `https://prices.example/api/mkt/history/bitcoin?days=30`, or the path
 * of a file in `tree`.
 */
export function documentAt(address: string, tree: string): { readonly tree: string; readonly file: string } {
  const url = new URL(address, 'http://tree/')
  const at = url.pathname.indexOf(PREFIX)
  const path = url.pathname.slice(Math.max(at, 0))
  const found = resolve(specs, 'GET', new URL(path + url.search, url.origin))
  const file = found.kind === 'document' && !found.csv ? found.file : decodeURIComponent(path.slice(1))
  return { tree: isSite(address) ? `${url.origin}${url.pathname.slice(0, Math.max(at, 0))}/` : tree, file }
}

/** Says what is proven of a document. */
export const provenText = (file: string, { entry, run, signedBy }: ProvenDocument): string =>
  `${file} is what run ${run} published at ${entry.generatedAt}, ` +
  (signedBy.length > 0 ? `signed by ${signedBy.join(', ')}.` : 'unsigned: the log has no key.')
