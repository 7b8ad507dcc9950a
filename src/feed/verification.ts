import { groupBy } from './group-by.ts'
import type { TokenContract, VerificationStatus } from '../contract/asset.ts'
import type { Identity } from './identify.ts'

/** The rule, in words. */
export const VERIFICATION = {
  rule:
    'Flagged when a source describes another asset under the id that the listing has there. Else what the registry says ' +
    'of an asset it names. Else flagged when two sources name different contracts on one chain; ' +
    'verified when two aggregators know the same asset; unverified otherwise. A status once given is kept while a ' +
    'source that gave it is silent.',
} as const

/** How far it is certain that a listing is what it says it is. */
export function verificationOf(identity: Identity): VerificationStatus {
  const { entry, before, sighted, withheld } = identity
  if (withheld.length > 0) return 'flagged'
  if (entry) return entry.verification_status
  if (conflictOf(identity)) return 'flagged'
  if (sighted.length >= 2) return 'verified'
  const known = Object.keys(before?.asset.external_ids ?? {}).length
  return before && known > sighted.length ? before.asset.verification_status : 'unverified'
}

/** Whether two sources name one contract each on some chain, and not the same. The registry's word ends all doubt. */
export function conflictOf({ entry, sighted }: Identity): boolean {
  if (entry || sighted.length < 2) return false
  const onlyOnes = sighted.map(({ contracts }) => onlyContracts(contracts))
  return onlyOnes.some((mine, index) =>
    onlyOnes
      .slice(index + 1)
      .some((other) => [...mine].some(([chain, address]) => (other.get(chain) ?? address) !== address)),
  )
}

/** The address on each chain where there is just one. */
const onlyContracts = (contracts: readonly TokenContract[]): Map<string, string> =>
  new Map(
    [...groupBy(contracts, ({ chain }) => chain)].flatMap(([chain, [only, ...more]]) =>
      only && more.length === 0 ? [[chain, only.address] as const] : [],
    ),
  )
