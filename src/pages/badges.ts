import type { Asset } from '../contract/asset.ts'
import { isSampleLabel } from '../contract/product.ts'
import { BADGES } from '../contract/site-files.ts'
import type { Attachment, World } from '../endpoints/endpoint.ts'
import { change, moment, price, tone } from './format.ts'

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)

/** Width of a character of the badge's text, of which the browser makes each text take its place exactly. */
const CHARACTER_PX = 6.6
const ROOM_PX = 7
const MOST_SYMBOL = 12

/** Colours that stand out from white text at the contrast that WCAG 2 asks for. */
const COLOURS = { up: '#0a7a3f', down: '#b3261e', flat: '#59636e' } as const

const widthOf = (text: string): number => Math.round([...text].length * CHARACTER_PX)

/** Returns the badge of a listing: its symbol, its price, and its change in 24 hours, as an image without a script. */
export function badgeOf(asset: Asset, label: string): string {
  const { name, price_usd, percent_change_24h: moved, last_updated } = asset
  const symbol = [...asset.symbol].slice(0, MOST_SYMBOL).join('')
  const value = moved === null ? price(price_usd) : `${price(price_usd)} ${change(moved)}`
  const [left, right] = [widthOf(symbol), widthOf(value)]
  const split = left + 2 * ROOM_PX
  const width = split + right + 2 * ROOM_PX
  const since = last_updated === null ? '' : ` as of ${moment(last_updated)}`
  const told = escaped(`${name}: ${value}${since}${isSampleLabel(label) ? ' (sample data)' : ''}`)
  const text = (x: number, length: number, content: string) =>
    `<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(content)}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${told}">
<title>${told}</title>
<clipPath id="r"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${split}" height="20" fill="#24292f"/><rect x="${split}" width="${width - split}" height="20" fill="${COLOURS[tone(moved)]}"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(ROOM_PX, left, symbol)}${text(split + ROOM_PX, right, value)}</g>
</svg>
`
}

/** Returns the badges of the first listings by rank, as far as their budget goes. */
export const badges = (world: World): Attachment[] =>
  world.listed
    .slice(0, BADGES.files)
    .map(({ asset }) => ({ path: `${BADGES.folder}/${asset.slug}.svg`, text: badgeOf(asset, world.label) }))
