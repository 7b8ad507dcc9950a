import type { RenderableProps } from 'preact'
import type { ExchangeMarket } from '../client/answers.ts'
import { logoFile } from '../core/contract/site-files.ts'
import { words } from './format.ts'
import { type Folder, addressOf, useSite } from './site.tsx'

type Named = Readonly<Record<'slug' | 'name' | 'symbol', string>>

interface DiscProps extends Omit<Named, 'name'> {
  /** Set where it is on no first screen: the script loads its logo when it comes near. */
  readonly isLate?: boolean
  /** The logo itself, where it is to take no request; null: there is none. */
  readonly logo?: string | null
}

export function Disc({ slug, symbol, isLate = false, logo = null }: DiscProps) {
  const { root, logos } = useSite()
  const file = logos.has(slug) ? root + logoFile(slug) : undefined
  const address = logo === null ? file : `data:image/svg+xml,${logo.replaceAll('%', '%25').replaceAll('#', '%23')}`
  return (
    <span class="disc" aria-hidden="true" data-logo={isLate ? address : undefined}>
      {address === undefined || isLate ? (
        [...symbol.replace(/^\$/, '')].slice(0, 2).join('').toUpperCase()
      ) : (
        <img src={address} alt="" width={32} height={32} />
      )}
    </span>
  )
}

export const Star = ({ slug, name }: Pick<Named, 'slug' | 'name'>) => (
  <button
    type="button"
    class="star"
    aria-pressed={false}
    aria-label={`Watch ${name}`}
    data-slug={slug}
    data-name={name}
  />
)

export const isStable = (row: object) => 'tags' in row && Array.isArray(row.tags) && row.tags.includes('stablecoin')

/** States by the colour that they are shown in; all others are grey. */
const TONES = {
  up: ['ok', 'verified', 'high', 'active', 'listed'],
  down: ['flagged', 'down', 'low', 'outlier', 'delisted', 'rejected'],
  warn: ['degraded', 'stale', 'pending', 'medium', 'inactive'],
}
const toneOf = (state: string) => Object.entries(TONES).find(([, states]) => states.includes(state))?.[0]

const STATES: Readonly<Record<string, readonly [sign: string, meaning: string]>> = {
  verified: ['✓', 'Verified: identity and contracts are confirmed'],
  pending: ['…', 'Pending: under review'],
  flagged: ['!', 'Flagged: its sources disagree, or it resembles another listing'],
}

export function VerifiedMark({ state }: { readonly state: string }) {
  const [sign, meaning] = STATES[state] ?? []
  if (sign === undefined) return null
  return (
    <span class="mark-state" role="img" data-tone={toneOf(state)} aria-label={meaning} title={meaning}>
      {sign}
    </span>
  )
}

export const Badge = ({ state, title }: { readonly state: string; readonly title?: string | undefined }) => (
  <span class="badge" data-tone={toneOf(state)} title={title}>
    {words(state)}
  </span>
)

/** Returns what a market is worth to the price: its quality, or why it has none. */
export const stateOf = (market: Pick<ExchangeMarket, 'is_outlier' | 'is_stale' | 'quality'>): string =>
  market.is_outlier ? 'outlier' : market.is_stale ? 'stale' : market.quality

type LinkProps = RenderableProps<{ readonly to: Folder; readonly id: string; readonly class?: string }>

export const ThingLink = ({ to, id, class: own, children }: LinkProps) => (
  <a class={own} href={addressOf(useSite(), to, id)} children={children} />
)

export const TokenName = ({ isLate = true, children, ...named }: RenderableProps<Named & DiscProps>) => (
  <span class="token-name">
    <Disc isLate={isLate} {...named} />
    <span class="named">
      <ThingLink to="token" id={named.slug} children={named.name} /> {children}{' '}
      <span class="ticker">{named.symbol}</span>
    </span>
  </span>
)

export const Outward = ({ url, children }: RenderableProps<{ readonly url: string | null | undefined }>) =>
  url?.startsWith('https://') === true ? (
    <a href={url} rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )

/** A button that copies a text, by default that of the element before it. */
export const CopyButton = ({ text, label }: { readonly text?: string; readonly label: string }) => (
  <button type="button" class="copy" aria-label={label} data-copy={text}>
    Copy
  </button>
)
