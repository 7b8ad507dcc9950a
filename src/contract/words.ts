import * as z from 'zod'

/** Where the API stands under a host's root. The one place to change it. */
export const PREFIX = '/api/mkt'

/** Version of the contract. A published name never changes its meaning within a version. */
export const VERSION = 'v1'

export const Slug = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .describe('Stable name of an asset in addresses.')

export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  .describe('ISO 8601, UTC, whole seconds.')

/**
 * A link a page may show: https only, no white space or quotes, so that it can stand in an attribute as it is, and no
 * control, formatting or half character (Unicode categories Cc, Cf, Cs).
 */
export const HttpsUrl = z
  .string()
  .max(2048)
  .regex(/^https:\/\/[^\s"'<>`\\\p{Cc}\p{Cf}\p{Cs}]+$/u)

/** Control, bidirectional-override and other invisible formatting characters: none belongs in a name. */
export const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/

/** One line of text from the outside, already free of what {@link UNPRINTABLE} names. */
export const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !UNPRINTABLE.test(text) && text.isWellFormed(), 'must hold no control or direction characters')

export const SourceStatus = z.enum(['ok', 'degraded', 'stale', 'down'])
export type SourceStatus = z.infer<typeof SourceStatus>

export const SourceErrorCode = z.enum([
  'source_unreachable',
  'source_timeout',
  'source_rate_limited',
  'source_invalid',
  'source_stale',
  'quorum_not_met',
])
export type SourceErrorCode = z.infer<typeof SourceErrorCode>

export const SourceType = z.enum(['aggregator', 'exchange', 'dex', 'registry'])
export type SourceType = z.infer<typeof SourceType>

export const ErrorCode = z.enum([
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
export type ErrorCode = z.infer<typeof ErrorCode>

/** Price of one unit in US dollars: 8 significant digits. Never 0: a price of zero is an unknown price. */
export const Price = z.number().positive()
/** An amount of US dollars or of coins, not negative. */
export const Amount = z.number().nonnegative()
/** A change in percent, 4 decimals: 2.5 is +2.5 %. */
export const Percent = z.number()
/** How many of something. */
export const Count = z.int().nonnegative()
