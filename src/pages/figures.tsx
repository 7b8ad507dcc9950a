import type { ComponentChildren } from 'preact'
import type { Asset, QuarantineRow } from '../client/answers.ts'
import { decimal } from '../core/contract/numbers.ts'
import * as format from './format.ts'
import { pathOf, viewBoxOf } from './line.ts'

type Value = { readonly of: number | null }

const Data = ({ of, text, ...attributes }: Value & { readonly text: (value: number) => string }) =>
  of == null ? (
    <>{format.UNKNOWN}</>
  ) : (
    <data value={decimal(of)} {...attributes}>
      {text(of)}
    </data>
  )
const figure = (text: (value: number) => string, attributes = {}) =>
  function Figure({ of }: Value) {
    return <Data of={of} text={text} {...attributes} />
  }
export const PriceFigure = figure(format.price, { class: 'usd price' })
export const Money = figure(format.money, { class: 'usd' })
export const AmountFigure = figure(format.amount)
export const CountFigure = figure(format.count)
export const PercentFigure = figure(format.percent)
export const Share = figure(format.share)

/** A change in percent, coloured by its sign, but for those of stablecoins. */
export const Change = ({ of, isStable = false }: Value & { readonly isStable?: boolean }) => (
  <Data of={of} text={format.change} data-tone={isStable ? 'flat' : format.tone(of)} />
)

/** The time of something. The script of the page says how long ago it was. */
export const Time = ({ at }: { readonly at: string }) => (
  <time datetime={at} title={format.moment(at)}>
    {format.moment(at)}
  </time>
)

type FigureRows = readonly (readonly [name: string, value: ComponentChildren])[]

export const Figures = ({ of, kind = 'figures' }: { readonly of: FigureRows; readonly kind?: string }) => (
  <dl class={kind}>
    {of.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

export const WithCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>
)

export const Empty = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="empty">
    <p>{children}</p>
  </div>
)

export type Prices = readonly (number | null)[]

/** Returns the prices of a week from the one that its published change is measured from to the present one, so that both agree. */
export function weekOf(price_usd: number | null, percent: number | null, sparkline_7d: Prices): Prices {
  if (price_usd === null) return sparkline_7d
  const from = percent === null || percent <= -100 ? null : price_usd / (1 + percent / 100)
  return [from ?? sparkline_7d[0] ?? null, ...sparkline_7d.slice(1), price_usd]
}

const SIZE = { width: 112, height: 32 }
/** Least height of a line, as a share of its largest value: a stablecoin looks calm. */
const LEAST_SPAN = 0.01

/** A small line in the colour of a change, if one is given. */
export function Spark({ values, percent = null }: { readonly values: Prices; readonly percent?: number | null }) {
  const path = pathOf(values, SIZE, LEAST_SPAN)
  if (path === null) return <>{format.UNKNOWN}</>
  return (
    <svg viewBox={viewBoxOf(SIZE)} {...SIZE} class="spark" data-tone={format.tone(percent)} aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

const NAMES: Readonly<Partial<Record<QuarantineRow['field'], string>>> = {
  price_usd: 'price',
  market_cap_usd: 'market cap',
  market_cap_rank: 'rank',
  matches: 'markets',
  contracts: 'contract',
}

/** `circulating_supply` -> `circulating supply`, `price_usd` -> `price`. */
export const figureName = (field: QuarantineRow['field']): string => NAMES[field] ?? format.words(field)

export function heldText(field: QuarantineRow['field'], value: QuarantineRow['held_value']): string {
  if (typeof value === 'string') return value.replace(/\S{20,}/, format.shortened)
  if (field === 'price_usd') return format.price(value)
  if (field === 'market_cap_usd') return format.money(value)
  return field === 'market_cap_rank' && value !== null ? format.count(value) : format.amount(value)
}

export const HeldFigures = ({ held }: Pick<Asset, 'held'>) => (
  <>
    {held.map(({ field, held_value, offered_value, reason, since, releases_at, release }) => (
      <p class="notice">
        Held back since {format.day(since)}: the {figureName(field)} of {heldText(field, offered_value)}.{' '}
        {held_value === null ? 'No value' : heldText(field, held_value)} is published instead. {reason} Released by:{' '}
        {release}
        {releases_at !== null && [' At the latest: ', <Time at={releases_at} />, '.']}
      </p>
    ))}
  </>
)
