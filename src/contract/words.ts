import * as z from 'zod'

/** Where the API stands under a host's root. The one place to change it. */
export const PREFIX = '/api/mkt'

/** Folder of the API's documents below the root of a tree. */
export const API_FOLDER = PREFIX.slice(1)

/** Version of the contract. A published name never changes its meaning within a version. */
export const VERSION = 'v1'

export const Slug = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .meta({ id: 'Slug', description: 'Stable name of an asset in addresses.' })

export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  .meta({ id: 'Timestamp', description: 'ISO 8601, UTC, whole seconds.' })

/**
 * A link a page may show: https only, no white space or quotes, so that it can stand in an attribute as it is, and no
 * control, formatting or half character (Unicode categories Cc, Cf, Cs).
 */
export const HttpsUrl = z
  .string()
  .max(2048)
  .regex(/^https:\/\/[^\s"'<>`\\\p{Cc}\p{Cf}\p{Cs}]+$/u)
  .meta({ id: 'HttpsUrl', description: 'A link: https only, without white space, quotes or control characters.' })

/**
 * Control, bidirectional-override and other invisible formatting characters, and what Unicode calls no characters
 * (U+FFFE and U+FFFF may not stand in XML 1.0 at all): none belongs in a name.
 */
export const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\p{Noncharacter_Code_Point}]/u

/** One line of text from the outside, already free of what {@link UNPRINTABLE} names. */
export const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !UNPRINTABLE.test(text) && text.isWellFormed(), 'must hold no control or direction characters')

export const SourceStatus = z.enum(['ok', 'degraded', 'stale', 'down']).meta({
  id: 'SourceStatus',
  description:
    '`ok`: what is needed answered. `degraded`: less than that, the rules still met. `stale`: last good data carried over. ' +
    '`down`: nothing usable.',
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
  .meta({ id: 'SourceErrorCode', description: 'What is wrong with a source.' })
export type SourceErrorCode = z.infer<typeof SourceErrorCode>

export const SourceType = z.enum(['aggregator', 'exchange', 'dex', 'registry'])
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
  .meta({ id: 'ErrorCode', description: 'Why a request was not answered; does not change its meaning.' })
export type ErrorCode = z.infer<typeof ErrorCode>

export const Price = z.number().positive().meta({
  id: 'Price',
  description: 'Price of one unit, in US dollars unless told: 8 significant digits. Never 0: that is an unknown price.',
})
export const Amount = z
  .number()
  .nonnegative()
  .meta({ id: 'Amount', description: 'An amount of US dollars or of coins, as the name says: 2 decimals.' })
export const Percent = z.number().meta({ id: 'Percent', description: 'In percent, 4 decimals: 2.5 is 2.5 %.' })
export const Count = z.int().nonnegative().meta({ id: 'Count', description: 'How many of something.' })
