import { isDeepStrictEqual } from 'node:util'
import { superset } from 'd3-array'
import * as z from 'zod'
import { by } from '../contract/order.ts'
import type { Asset } from '../contract/asset.ts'
import { EVM_ADDRESS } from '../contract/names.ts'
import { checksummed } from '../registry/checksum.ts'
import { byRank } from '../feed/rank.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import type { Rows, RunRow } from './rows.ts'

const MOST_TOKENS = 10_000

const Token = z.strictObject({
  chainId: z.int().positive(),
  address: z.string().regex(EVM_ADDRESS),
  name: z.string().min(1).max(60),
  symbol: z.string().regex(/^\S{1,20}$/),
  decimals: z.int().min(0).max(255),
  logoURI: z.url().optional(),
})
type Token = z.infer<typeof Token>

type Version = Omit<RunRow['token_list'], 'timestamp'>

const keyOf = ({ chainId, address }: Token): string => `${String(chainId).padStart(10, '0')} ${address.toLowerCase()}`

/**
 * Returns the contracts for wallets: those of verified listings on EVM chains with known decimals. Tokens that the schema
 * of token lists rejects are left out.
 */
export function tokensOf(assets: readonly Asset[]): Token[] {
  const tokens = new Map<string, Token>()
  for (const { contracts, name, symbol, logo_url, verification_status } of assets) {
    if (verification_status !== 'verified') continue
    for (const { chain_id, address, decimals } of contracts) {
      if (chain_id === null || decimals === null || !EVM_ADDRESS.test(address)) continue
      // Wallets are no part of the site: a path is no address to them.
      const logo = logo_url?.startsWith('https://') ? { logoURI: logo_url } : {}
      const token = Token.safeParse({
        chainId: chain_id,
        address: checksummed(address),
        name,
        symbol,
        decimals,
        ...logo,
      })
      // By rank: if two listings share a contract, the larger one is used.
      if (token.success && !tokens.has(keyOf(token.data))) tokens.set(keyOf(token.data), token.data)
    }
  }
  return [...tokens.values()].slice(0, MOST_TOKENS).toSorted(by(keyOf))
}

/** Returns the next version: major if a token is removed, minor if one is added, patch for other changes: https://tokenlists.org. */
export function nextVersion(last: Version, before: readonly Token[], now: readonly Token[]): Version {
  const [old, young] = [before.map(keyOf), now.map(keyOf)]
  if (!superset(young, old)) return { major: last.major + 1, minor: 0, patch: 0 }
  if (!superset(old, young)) return { ...last, minor: last.minor + 1, patch: 0 }
  // Both are sorted by their keys.
  return isDeepStrictEqual(before, now) ? last : { ...last, patch: last.patch + 1 }
}

/** Returns the version of the token list after a run at a time, which is that of the last run while its tokens stay. */
export function tokenVersionAfter({ run, listings }: Rows, now: Snapshot): RunRow['token_list'] {
  const tokens = tokensOf(now.listed.map(({ asset }) => asset))
  if (run === null) return { major: 1, minor: 0, patch: 0, timestamp: now.at }
  const { timestamp, ...last } = run.token_list
  const before = [...listings.values()].map(({ asset }) => asset).filter((one) => one.listing_status !== 'delisted')
  const version = nextVersion(last, tokensOf(before.toSorted(byRank)), tokens)
  return version === last ? run.token_list : { ...version, timestamp: now.at }
}
