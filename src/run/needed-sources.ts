import { dayIn, isoOf } from '../contract/time.ts'
import { isNamed } from '../feed/listed-identities.ts'
import type { Source } from '../sources/source.ts'
import type { LastPublication } from '../tree/last-publication.ts'

/**
 * Whether a run needs the named listings alone: all are published, and an earlier run of the UTC day asked for everything
 * that the sources list.
 */
export function needsNamedAlone(
  only: readonly string[] | null | undefined,
  { publishedAt, listings }: Pick<LastPublication, 'publishedAt' | 'listings'>,
  now: number,
): boolean {
  if (!only || publishedAt === null || dayIn(publishedAt) !== dayIn(isoOf(now))) return false
  const assets = [...listings.values()].map(({ asset }) => asset)
  return only.every((name) => assets.some((asset) => isNamed(asset, name)))
}

/** Whether the last publication had nothing of a source that answered: no listing, market or pool, and no witness of a rate. */
export function isIdle(
  { id, type, label }: Source,
  { sources, rates, pairs }: Pick<LastPublication, 'sources' | 'rates' | 'pairs'>,
): boolean {
  const row = sources.get(id)
  if (!row || row.error !== null || type === 'reference' || type === 'registry') return false
  const isWitness = [...rates.values()].some(({ inputs }) => inputs.some(({ source_id }) => source_id === id))
  if (type === 'dex') return !isWitness && pairs.every(({ source_label }) => source_label !== label)
  return !isWitness && row.asset_count === 0 && row.market_count === 0
}
