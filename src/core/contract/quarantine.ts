import * as z from 'zod'
import { Slug, Timestamp } from './words.ts'

const HeldField = z
  .enum([
    'price_usd',
    'circulating_supply',
    'total_supply',
    'max_supply',
    'market_cap_usd',
    'market_cap_rank',
    'contracts',
    'identity',
    'matches',
  ])
  .meta({
    id: 'HeldField',
    description:
      'A member of the asset; or its `identity` (what a source says under its id), or its `matches` (markets).',
  })

const HoldRule = z
  .enum([
    'price_jump',
    'cap_jump',
    'lone_supply',
    'contract_moved',
    'identity_disputed',
    'match_disputed',
    'source_distrusted',
  ])
  .meta({
    id: 'HoldRule',
    description:
      '`price_jump`: a price far from the last one without enough witnesses. `cap_jump`: a market cap ' +
      'far from the last one that no source reports. `lone_supply`: a supply far from the last ' +
      'one, or from that of the other sources, that one source alone reports. `contract_moved`: a contract that belongs to ' +
      'another listing, or leaves its own, by one source alone. `identity_disputed`: a source describes another asset ' +
      'under an id. `match_disputed`: it is open which asset a market trades. `source_distrusted`: only sources report it ' +
      'whose other prices are far from those of the venues.',
  })

const HeldValue = z.union([z.number(), z.string()]).nullable()

export const QuarantineRow = z
  .object({
    slug: Slug,
    field: HeldField,
    held_value: HeldValue.describe('Value published in the meantime; null: none.'),
    offered_value: HeldValue.describe('First value that was held back; null: the value is absent from the sources.'),
    rule: HoldRule,
    source_ids: z.array(z.string()).default([]).describe('The sources that report the value held back.'),
    reason: z.string().default('').describe('Why it is held back, in a sentence.'),
    since: Timestamp.describe('When it was first held back.'),
    releases_at: Timestamp.nullable().describe(
      'When the new value is published at the latest, if the sources still report it; null: not without a witness.',
    ),
    release: z.string().default('').describe('What would release it, in a sentence.'),
  })
  .meta({
    id: 'QuarantineRow',
    description: 'A figure held back until it is confirmed. The previous value is published in the meantime.',
  })
export type QuarantineRow = z.infer<typeof QuarantineRow>
