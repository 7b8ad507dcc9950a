import type { TokenContract } from '../contract/asset.ts'
import { by } from '../contract/order.ts'
import { excerpt } from '../contract/visible.ts'
import { type Identity, namesOf } from './identify.ts'

/** A name in the setting `only` names no listing, or several. The message has a sentence for each such name. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError'
}

/** Most listings of a symbol that a message names. */
const CANDIDATES = 10

/**
 * Returns the identities that a publisher names: by slug, by contract as `<chain>:<address>`, or by a symbol that one alone has.
 *
 * @throws SelectionError for a name that is no listing's, or a symbol that several have
 */
export function chosenListings(
  identities: readonly Identity[],
  only: readonly string[],
  contractsOf: (slug: string) => readonly TokenContract[],
): readonly Identity[] {
  const chosen = only.map((name) => found(name, identities, contractsOf))
  const faults = chosen.flatMap((one) => (typeof one === 'string' ? [one] : []))
  if (faults.length > 0) throw new SelectionError(faults.map((fault) => `only: ${fault}`).join('\n'))
  const slugs = new Set(chosen.map((one) => (typeof one === 'string' ? '' : one.slug)))
  return identities.filter(({ slug }) => slugs.has(slug))
}

/** Returns the identity of a name, or what is wrong with the name. */
function found(
  name: string,
  identities: readonly Identity[],
  contractsOf: (slug: string) => readonly TokenContract[],
): Identity | string {
  const named = identities.find(({ slug, before }) => slug === name || (before?.asset.aliases.includes(name) ?? false))
  if (named) return named
  const wanted = name.toLowerCase()
  const isNamed = (identity: Identity) =>
    name.includes(':')
      ? contractsOf(identity.slug).some(({ chain, address }) => `${chain}:${address}`.toLowerCase() === wanted)
      : namesOf(identity).some(({ symbol }) => symbol.toLowerCase() === wanted)
  const [first, ...others] = identities.filter(isNamed).toSorted(by(({ slug }) => slug))
  if (first === undefined)
    return `no source lists "${excerpt(name)}". Name a slug, such as "bitcoin", or a contract, such as "ethereum:0x…".`
  if (others.length === 0) return first
  const slugs = [first, ...others].map(({ slug }) => slug)
  const rest = slugs.length > CANDIDATES ? ` and ${slugs.length - CANDIDATES} more` : ''
  return `"${excerpt(name)}" is the name of ${slugs.slice(0, CANDIDATES).join(', ')}${rest}. Name one of these slugs.`
}
