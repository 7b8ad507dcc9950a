import type { ProvenDocument } from '../contract/log-proof.ts'
import { PREFIX } from '../contract/prefix.ts'
import { specs } from '../endpoints/table.ts'
import { resolve } from '../service/resolve.ts'
import { isSite } from '../tree/remote.ts'

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
