import type * as z from 'zod'
import { parseJson } from '../core/contract/read-json.ts'
import { hasWrongChecksum, checksummed } from '../core/registry/checksum.ts'
import { Entry } from '../core/registry/schema.ts'
import { RegistryError, openRegistry } from '../core/registry/registry.ts'
import { SAFE_SVG, safeSvg } from '../core/registry/safe-svg.ts'
import { type PublishedListing, isNamesake } from './duplicates.ts'

interface Proposed {
  readonly path: string
  readonly text: string
  readonly logo: string | null
  /** Entries of the registry without this one. */
  readonly others: readonly unknown[]
  /** Listings of the published feed, and entries of the registry, with their names. */
  readonly known: readonly PublishedListing[]
}

export type Findings = ReturnType<typeof checkAsset>

/** Checks a file that adds an asset: schema, checksums, duplicates and logo. Its faults must go before it can be merged. */
export function checkAsset({ path, text, logo, others: entries, known }: Proposed) {
  const { data: entry, error } = Entry.safeParse(parseJson(text))
  if (!entry) return { path, asset: null, faults: error.issues.map(sentenceOf), warnings: [] }
  const { slug, symbol, name, contracts, verification_status } = entry
  const others = known.filter((one) => one.slug !== slug)
  const published = known.find((one) => one.slug === slug)
  return {
    path,
    asset: `${name} (${symbol}), ${contracts.length} contracts`,
    faults: [
      ...(path.split('/').at(-1) === `${slug}.json` ? [] : [`The file of the asset ${slug} is called ${slug}.json.`]),
      ...contracts.flatMap(({ address }) =>
        hasWrongChecksum(address)
          ? [`The checksum of ${address} is wrong. If every digit is right, it is ${checksummed(address)}.`]
          : [],
      ),
      ...registryFault(entries, entry, path),
      ...(logo === null || safeSvg(logo) !== null ? [] : [`The logo is not ${SAFE_SVG}.`]),
    ],
    warnings: [
      ...others.filter((one) => isNamesake(one, entry)).map((one) => `${one.slug} has the same name and symbol.`),
      ...others.filter((one) => one.symbol === symbol).map((one) => `${one.slug} has the same symbol.`),
      ...(published === undefined || isNamesake(published, entry)
        ? []
        : [`The feed lists ${slug} as ${published.name} (${published.symbol}). Is it the same asset?`]),
      ...(verification_status === 'verified' ? ['It says of itself that it is verified. Confirm its contracts.'] : []),
      ...(contracts.length === 0 ? ['It has no contract, so it can be matched by its ids and symbols alone.'] : []),
    ].slice(0, MOST_WARNINGS),
  }
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.')
  if (issue.code === 'unrecognized_keys')
    return `There is no member ${issue.keys.join(', ')}. An asset has ${Object.keys(Entry.shape).join(', ')}.`
  return place === '' ? 'The file is not a JSON object.' : `${place}: ${issue.message}.`
}

const MOST_WARNINGS = 10

function registryFault(others: readonly unknown[], entry: Entry, file: string): string[] {
  try {
    openRegistry({ assets: [...others, entry], file })
    return []
  } catch (error) {
    if (error instanceof RegistryError) return [`${error.message}.`]
    throw error
  }
}
