import type { SiteRow } from '../core/history/rows.ts'

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

/** Returns the rule that replaces colours of `style.css`; empty if none is replaced. */
export function colourRule({ colours }: SiteRow['brand']): string {
  const lines = Object.entries(colours).flatMap(([name, colour]) => {
    if (colour === undefined) return []
    return [`--${name}:${typeof colour === 'string' ? colour : `light-dark(${colour.light},${colour.dark})`}`]
  })
  return lines.length === 0 ? '' : `:root{${lines.join(';')}}\n`
}
