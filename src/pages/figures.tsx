import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { decimal } from '../contract/numbers.ts'
import { UNKNOWN, ago, amount, change, moment, money, priceParts, tone } from './format.ts'
import { NowContext, useSite } from './site.tsx'

interface Dollars {
  /** In dollars; null: unknown. */
  readonly usd: number | null
}

/** Digits of an amount that is converted to another currency. */
const CONVERTED_DIGITS = 8

/** Returns the plain digits of an amount, which a reader copies in place of the text. */
export const digitsOf = (value: number): string => decimal(Number(value.toPrecision(CONVERTED_DIGITS)))

/** Characters from which on the whole part of a price is set smaller: `$1,000,000,000` would not fit into its column. */
const LONG = 12

/** A price in the chosen currency. Its fraction has a width of its own, so that the points of a column align. */
export function Price({ usd }: Dollars) {
  const { currency } = useSite()
  if (usd == null) return <>{UNKNOWN}</>
  const [whole, fraction] = priceParts(usd, currency)
  return (
    <data value={digitsOf(usd / currency.price_usd)} class={whole.length > LONG ? 'long' : undefined}>
      {whole}
      {fraction !== '' && <span class="fraction">{fraction}</span>}
    </data>
  )
}

/** An amount of money in the chosen currency, in short. */
export function Money({ usd }: Dollars) {
  const { currency } = useSite()
  return usd == null ? <>{UNKNOWN}</> : <data value={digitsOf(usd / currency.price_usd)}>{money(usd, currency)}</data>
}

/** An amount of coins, in short. */
export const Coins = ({ value, symbol }: { readonly value: number | null; readonly symbol: string }) =>
  value == null ? (
    <>{UNKNOWN}</>
  ) : (
    <>
      <data value={decimal(value)}>{amount(value)}</data> {symbol}
    </>
  )

/** A change in percent, coloured by its sign. */
export const Change = ({ percent }: { readonly percent: number | null }) =>
  percent == null ? (
    <>{UNKNOWN}</>
  ) : (
    <data value={percent} data-tone={tone(percent)}>
      {change(percent)}
    </data>
  )

/** How long ago something was, with the exact time in its title; in a document, the time. */
export function Time({ at }: { readonly at: string }) {
  const now = useContext(NowContext)
  return (
    <time datetime={at} title={moment(at)}>
      {now === null ? moment(at) : ago(at, now)}
    </time>
  )
}

/** A labelled figure of a list of figures. */
export const Figure = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

interface FiguresOfProps<Row> {
  readonly columns: readonly { readonly name: string; readonly of: (row: Row) => ComponentChildren }[]
  readonly row: Row
}

/** The values of one row of a table as a list of figures. */
export const FiguresOf = <Row,>({ columns, row }: FiguresOfProps<Row>) => (
  <dl class="figures">
    {columns.map(({ name, of }) => (
      <Figure name={name}>{of(row)}</Figure>
    ))}
  </dl>
)

/** Text with `code` in backticks. */
export const WithCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>
)

/** Shown instead of a list without rows. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="empty">
    <p>{children}</p>
  </div>
)
