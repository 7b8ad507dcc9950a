import type { ComponentChildren } from 'preact'
import { decimal } from '../core/contract/numbers.ts'
import { UNKNOWN, amount, change, count, moment, money, percent, price, share, tone } from './format.ts'

interface Dollars {
  /** In dollars; null: unknown. */
  readonly usd: number | null
}

/** A price. Scripts convert it to another currency, sort by its value and copy it as plain digits. */
export const Price = ({ usd }: Dollars) =>
  usd == null ? (
    <>{UNKNOWN}</>
  ) : (
    <data value={decimal(usd)} class="usd price">
      {price(usd)}
    </data>
  )

/** An amount of money in short. */
export const Money = ({ usd }: Dollars) =>
  usd == null ? (
    <>{UNKNOWN}</>
  ) : (
    <data value={decimal(usd)} class="usd">
      {money(usd)}
    </data>
  )

/** An amount of coins, in short. */
export const Coins = ({ value, symbol }: { readonly value: number | null; readonly symbol: string }) =>
  value == null ? (
    <>{UNKNOWN}</>
  ) : (
    <>
      <data value={decimal(value)}>{amount(value)}</data> {symbol}
    </>
  )

interface ChangeProps {
  readonly percent: number | null
  /** Set for stablecoins, whose changes have no colour. */
  readonly isStable?: boolean
}

/** A change in percent, coloured by its sign. */
export const Change = ({ percent: value, isStable = false }: ChangeProps) =>
  value == null ? (
    <>{UNKNOWN}</>
  ) : (
    <data value={value} data-tone={isStable ? 'flat' : tone(value)}>
      {change(value)}
    </data>
  )

const figure = (text: (value: number) => string) =>
  function Value({ of }: { readonly of: number | null }) {
    return of == null ? <>{UNKNOWN}</> : <data value={of}>{text(of)}</data>
  }
export const Count = figure(count)
export const Percent = figure(percent)
export const Share = figure(share)

/** The time of something. The script of the page says how long ago it was. */
export const Time = ({ at }: { readonly at: string }) => (
  <time datetime={at} title={moment(at)}>
    {moment(at)}
  </time>
)

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
