/** Colours of the pages that a publisher may choose: the custom properties of `style.css`. */
export const COLOURS = [
  'paper',
  'card',
  'ink',
  'soft',
  'line',
  'wash',
  'accent',
  'accent-ink',
  'up',
  'down',
  'warn',
  'warn-wash',
] as const
type Colours = Readonly<
  Partial<Record<(typeof COLOURS)[number], string | { readonly light: string; readonly dark: string } | undefined>>
>

export interface Brand {
  /** The publisher's own logo, an SVG at a path relative to the tree's root; null: the built-in one. */
  readonly logo: { readonly path: string; readonly text: string } | null
  readonly colours: Colours
  /** Symbols of the currencies to offer; null: all that have a rate. */
  readonly currencies: readonly string[] | null
}

export const BRAND: Brand = { logo: null, colours: {}, currencies: null }

/** Returns the rule that replaces colours of `style.css`; empty if none is replaced. */
export function colourRule(colours: Colours): string {
  const lines = Object.entries(colours).flatMap(([name, colour]) => {
    if (colour === undefined) return []
    return [`--${name}:${typeof colour === 'string' ? colour : `light-dark(${colour.light},${colour.dark})`}`]
  })
  return lines.length === 0 ? '' : `:root{${lines.join(';')}}\n`
}
