import * as z from 'zod'
import { Amount, Timestamp } from './words.ts'

export type SupplyField = 'circulating_supply' | 'total_supply' | 'max_supply'

export const SupplyMethod = z.enum(['agreed', 'alone', 'first', 'lowest', 'persisted', 'kept', 'none']).meta({
  id: 'SupplyMethod',
  description:
    '`agreed`: the first source that another source, the registry or the last value agrees with. `alone`: the only ' +
    'source, and no last value. `first`: the sources differ, and the first counts. `lowest`: they differ too much for ' +
    'that, and the lowest counts. `persisted`: one source alone has reported it for long enough. `kept`: the last ' +
    'published value. `none`: unknown.',
})
export type SupplyMethod = z.infer<typeof SupplyMethod>

export const SupplyBasis = z
  .object({
    method: SupplyMethod,
    value: Amount.nullable().describe('The supply decided on; null: unknown.'),
    witnesses: z.array(
      z.object({
        source_id: z.string(),
        value: Amount,
        is_implied: z.boolean().describe('Market cap divided by price: the source reports no supply of its own.'),
      }),
    ),
    last: z
      .object({ value: Amount, as_of: Timestamp })
      .nullable()
      .describe('The last value that two witnesses agreed on, or that was published for a day: a witness, too.'),
  })
  .meta({
    id: 'SupplyBasis',
    description:
      'Who reports a supply in this run, in order of the sources, and which value follows; `collector` has the rule. A ' +
      'source that contradicts itself is no witness. An implied supply decides the market cap, and is not published as a supply.',
  })
export type SupplyBasis = z.infer<typeof SupplyBasis>
