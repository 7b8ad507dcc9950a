import { el, show } from './dom.ts'
import { words } from './format.ts'

interface Named {
  readonly slug: string
  readonly symbol: string
}

/** Number of colours of discs in the style sheet. */
const HUES = 12

/** Returns a stable colour for a listing. */
const hueOf = (slug: string): number =>
  [...slug].reduce((hue, letter) => (hue * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7) % HUES

/** Returns the address of a listing's logo; null: it has none. */
export type LogoOf = (slug: string) => string | null

const DISC_PX = 32

/** A disc with the logo of a listing, or the first letters of its symbol; with letters alone while it only passes. */
export function disc(logoOf: LogoOf): {
  readonly element: HTMLElement
  readonly fill: (named: Named, isPassing?: boolean) => void
} {
  const element = el('span', { class: 'disc', 'aria-hidden': 'true' })
  return {
    element,
    fill({ slug, symbol }, isPassing = false) {
      const logo = isPassing ? null : logoOf(slug)
      show(
        element,
        logo === null
          ? [...symbol.replace(/^\$/, '')].slice(0, 2).join('').toUpperCase()
          : el('img', { src: logo, alt: '', width: DISC_PX, height: DISC_PX, loading: 'lazy', decoding: 'async' }),
      )
      // Not as a style: the policy of the pages forbids those in documents.
      element.dataset['hue'] = String(hueOf(slug))
    },
  }
}

const STATES = {
  verified: ['✓', 'Verified: identity and contracts are confirmed'],
  unverified: ['', ''],
  pending: ['…', 'Pending: under review'],
  flagged: ['!', 'Flagged: its sources disagree, or it resembles another listing'],
} as const
type State = keyof typeof STATES

/** A mark of the verification status of a listing. */
export function verifiedMark(): {
  readonly element: HTMLElement
  readonly fill: (of: { readonly verification_status: State }) => void
} {
  const element = el('span', { class: 'mark-state' })
  return {
    element,
    fill({ verification_status }) {
      const [sign, meaning] = STATES[verification_status]
      element.hidden = sign === ''
      element.textContent = sign
      element.title = meaning
      element.dataset['state'] = verification_status
      if (sign === '') return
      element.setAttribute('role', 'img')
      element.setAttribute('aria-label', meaning)
    },
  }
}

/** A badge for a status or a quality. */
export const badge = (state: string, title: string | null = null): HTMLElement =>
  el('span', { class: 'badge', 'data-state': state, title }, words(state))
