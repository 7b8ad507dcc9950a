import * as z from 'zod'

/** Version of the contract. A published name never changes its meaning within a version. */
export const VERSION = 'v1'

/** Version of the form in which a tree keeps what the next run extends; a program refuses any other. */
export const STATE_VERSION = 8

export const StateVersion = z
  .int()
  .nonnegative()
  .describe('Version of the form of the tree. A program extends trees of its own version alone.')

export const formed = (most: number, form: RegExp, message?: string) => z.string().max(most).regex(form, message)

/** Returns the schema of a member that answers of earlier versions lack, or have as null. */
export const laterOrNull = <Value extends z.ZodType>(schema: Value, description: string) =>
  schema.nullable().default(null).describe(description)

export const Slug = formed(64, /^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single dashes').meta(
  { id: 'Slug', description: 'Stable name of an asset in URLs.' },
)

export const PrefixFolder = formed(60, /^[a-z0-9-]+(\/[a-z0-9-]+)*$/)

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  .meta({ id: 'Timestamp', description: 'ISO 8601, UTC, whole seconds.' })

export const Day = z.iso.date()

const NO_LINK = 'must be an address that begins with https://, without spaces or quotes'

/** A link that is safe to show: without what ends an attribute, and without control, format or surrogate characters. */
export const HttpsUrl = z
  .string()
  .max(2048)
  .regex(/^https:\/\/[^\s"'<>`\\]+$/, NO_LINK)
  // Classes of Unicode are not a part of patterns that every language reads.
  .refine((text) => !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(text), NO_LINK)
  .meta({ id: 'HttpsUrl', description: 'A link: https only, without white space, quotes or control characters.' })

export const LogoUrl = z.union([HttpsUrl, z.string().regex(/^\/logos\/[a-z0-9-]+\.svg$/)]).meta({
  id: 'LogoUrl',
  description:
    'Logo of this site, as SVG: an https address, or a path from the root of a site that does not know its own.',
})

/** Control, bidirectional and other invisible characters, and noncharacters (XML 1.0 forbids U+FFFE and U+FFFF). */
export const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\p{Noncharacter_Code_Point}]/u

/** A character that leaves a mark: neither a space nor one that is shown as nothing, such as U+3164 and U+2800. */
const MARK = /[^\s\u2800\p{Default_Ignorable_Code_Point}]/u

/** Returns the schema of one line of outside text that is not empty, without {@link UNPRINTABLE} characters. */
export const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine(
      (text) => !UNPRINTABLE.test(text) && text.isWellFormed(),
      'must not contain control or bidirectional characters',
    )
    .refine((text) => text === '' || UNPRINTABLE.test(text) || MARK.test(text), 'must have a visible character')

/** The address of a site, without credentials, query and fragment: it is published. */
export const SiteAddress = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !/[@?#]/.test(text), 'must have no name, password, query or fragment')

export const SourceStatus = z.enum(['ok', 'degraded', 'stale', 'down']).meta({
  id: 'SourceStatus',
  description:
    '`ok`: all required sources answered. `degraded`: some failed, but the rules are still met. `stale`: the last good ' +
    'data is carried forward. `down`: no usable data.',
})
export type SourceStatus = z.infer<typeof SourceStatus>

export const SourceErrorCode = z
  .enum([
    'source_unreachable',
    'source_timeout',
    'source_rate_limited',
    'source_invalid',
    'source_stale',
    'quorum_not_met',
  ])
  .meta({ id: 'SourceErrorCode', description: 'Kind of a source error.' })
export type SourceErrorCode = z.infer<typeof SourceErrorCode>

export const SourceType = z.enum(['aggregator', 'exchange', 'dex', 'reference', 'registry'])
export type SourceType = z.infer<typeof SourceType>

export const ErrorCode = z
  .enum([
    'not_found',
    'asset_not_found',
    'invalid_parameter',
    'invalid_json',
    'invalid_request',
    'method_not_allowed',
    'unsupported_media_type',
    'payload_too_large',
    'rate_limited',
    'unavailable',
    'internal_error',
  ])
  .meta({ id: 'ErrorCode', description: 'Why a request failed. Codes never change their meaning.' })
export type ErrorCode = z.infer<typeof ErrorCode>

export const Price = z.number().positive().meta({
  id: 'Price',
  description:
    'Price of one unit, in US dollars unless stated otherwise, with 8 significant digits. Never 0: an unknown price is null.',
})
export const Amount = z
  .number()
  .nonnegative()
  .meta({ id: 'Amount', description: 'Amount of US dollars or coins, with 2 decimals.' })
export const Percent = z.number().meta({ id: 'Percent', description: 'Percentage with 4 decimals: 2.5 is 2.5 %.' })
/** A time in ms since 1970, up to the year 2100: the largest one that prints as a {@link Timestamp} is far beyond. */
export const Instant = z.int().nonnegative().max(4_102_444_800_000)

export const Allowed = z.union([z.string(), z.array(z.union([z.string(), z.number()]))])

export const Count = z.int().nonnegative().meta({ id: 'Count', description: 'A non-negative count.' })
