import { createHash, createHmac } from 'node:crypto'
import { BUNDLE_VERSION, OPENING_FORMAT } from '../contract/observations.ts'
import type { RightsClass } from '../contract/rights.ts'
import { type Bundle, type NamedFile, type Opening, encodeBundle, encodeOpening, linesOf } from './bundle.ts'

/** Classes of rights whose rows are not passed on. */
export const WITHHELD: ReadonlySet<RightsClass> = new Set(['no_redistribution'])

/** Returns the SHA-256 of a salt and rows. Without the salt, nobody can try which rows have this commitment. */
export const commitmentOf = (salt: string, rows: Parameters<typeof linesOf>[0]): string =>
  createHash('sha256').update(salt).update(linesOf(rows)).digest('hex')

/** A bundle to pass on, and its opening, which the publisher keeps; null where nothing is withheld. */
export interface Withheld {
  readonly bundle: NamedFile
  readonly opening: NamedFile | null
}

/**
 * Returns a bundle as a file, with a commitment in place of the rows of sources that forbid passing them on. The salts
 * follow from `secret`, so that equal observations give equal bytes to who knows it.
 */
export function withheld(bundle: Bundle, secret: string, classes: ReadonlySet<RightsClass> = WITHHELD): Withheld {
  const { header } = bundle
  const kept = header.sources.filter(({ rights }) => classes.has(rights))
  if (kept.length === 0) return { bundle: encodeBundle(bundle), opening: null }
  const rowsOf = (id: string) => bundle.rows.get(id) ?? []
  const salts = kept.map(({ source_id }) => ({
    source_id,
    salt: createHmac('sha256', secret).update(`${header.clock} ${source_id}`).digest('hex'),
  }))
  const saltOf = new Map(salts.map(({ source_id, salt }) => [source_id, salt]))
  const sources = header.sources.map((source) => {
    const salt = saltOf.get(source.source_id)
    return salt === undefined ? source : { ...source, commitment: commitmentOf(salt, rowsOf(source.source_id)) }
  })
  const file = encodeBundle({
    header: { ...header, sources },
    rows: new Map([...bundle.rows].filter(([id]) => !saltOf.has(id))),
  })
  const digest = /[0-9a-f]{64}/.exec(file.name)?.[0] ?? ''
  const opening = encodeOpening({
    header: { format: OPENING_FORMAT, version: BUNDLE_VERSION, bundle: digest, salts },
    rows: new Map(kept.map(({ source_id }) => [source_id, rowsOf(source_id)] as const)),
  })
  return { bundle: file, opening }
}

/** Returns a bundle with the rows that its opening has. A source whose opening is missing or false stays unusable. */
export function opened(bundle: Bundle, opening: Opening | null): Bundle {
  const salts = new Map(opening?.header.salts.map(({ source_id, salt }) => [source_id, salt]))
  const rows = new Map(bundle.rows)
  const unusable = new Map(bundle.unusable)
  const sources = bundle.header.sources.map((source) => {
    const { source_id, commitment } = source
    if (commitment === null) return source
    const [salt, own] = [salts.get(source_id), opening?.rows.get(source_id)]
    if (salt === undefined || !own) unusable.set(source_id, 'its rows are withheld and the opening is not here')
    else if (commitmentOf(salt, own) !== commitment)
      unusable.set(source_id, 'its opening does not have the rows it is committed to')
    else {
      rows.set(source_id, own)
      return { ...source, commitment: null }
    }
    return source
  })
  return { header: { ...bundle.header, sources }, rows, unusable }
}
