/** Elements of a drawing, without those that run, load or embed anything. */
const ELEMENTS = new Set(
  'svg g path circle ellipse rect line polygon polyline defs linearGradient radialGradient stop clipPath mask'.split(
    ' ',
  ),
)
/** Attributes that draw. None of them takes an address of another file: see {@link REFERENCE}. */
const ATTRIBUTES = new Set(
  (
    'xmlns viewBox width height fill fill-rule fill-opacity clip-rule clip-path clipPathUnits d id x y x1 y1 x2 y2 cx cy r rx ' +
    'ry fx fy points offset opacity stop-color stop-opacity stroke stroke-width stroke-opacity stroke-linecap ' +
    'stroke-linejoin stroke-miterlimit stroke-dasharray gradientUnits gradientTransform transform mask maskUnits'
  ).split(' '),
)
const REFERENCE = /^url\(#[\w-]+\)$/
const NAMESPACE = 'http://www.w3.org/2000/svg'

const TAG = /<(\/?)([a-zA-Z]+)((?:\s+[a-zA-Z][\w:-]*="[^"<>&]*")*)\s*(\/?)>/gy
const ATTRIBUTE = /([a-zA-Z][\w:-]*)="([^"]*)"/g

const isDrawing = (name: string, value: string): boolean =>
  ATTRIBUTES.has(name) &&
  (name === 'xmlns' ? value === NAMESPACE : !value.includes(':') && (!/url|\\/i.test(value) || REFERENCE.test(value)))

type Tag = NonNullable<ReturnType<typeof tagsOf>>[number]

/** Returns the tags that a text consists of; null if there is anything else in it. */
function tagsOf(text: string) {
  const found = [...text.matchAll(TAG)]
  if (found.reduce((length, [tag]) => length + tag.length, 0) !== text.length) return null
  return found.map(([, closing, name = '', attributes = '', single]) => {
    const kind: 'open' | 'close' | 'single' = closing !== '' ? 'close' : single !== '' ? 'single' : 'open'
    return { name, attributes, kind }
  })
}

const isHarmless = ({ name, attributes, kind }: Tag): boolean =>
  ELEMENTS.has(name) &&
  (kind !== 'close' || attributes === '') &&
  [...attributes.matchAll(ATTRIBUTE)].every(([, attribute = '', value = '']) => isDrawing(attribute, value))

/** Whether tags are one `svg` element with all others in it, each closed in its place. */
function isOneImage(tags: readonly Tag[]): boolean {
  const open: string[] = []
  for (const [place, { name, kind }] of tags.entries()) {
    if ((place === 0) !== (name === 'svg' && kind === 'open') || (place > 0 && open.length === 0)) return false
    if (kind === 'open') open.push(name)
    if (kind === 'close' && open.pop() !== name) return false
  }
  return tags.length > 0 && open.length === 0
}

const MOST_CHARACTERS = 64 * 2 ** 10

/** What a text must be to pass {@link safeSvg}, for the sentence that refuses it. */
export const SAFE_SVG =
  'an SVG of at most 64 KiB with shapes, paths and gradients alone: no style, script, text, link or comment. ' +
  'Export it as a plain, optimized SVG'

/** Returns an SVG in one line if it only draws, else null. Opened on its own, it is a page that could run scripts. */
export function safeSvg(text: string): string | null {
  if (text.length > MOST_CHARACTERS) return null
  const svg = text
    .trim()
    .replaceAll(/>\s+</g, '><')
    .replaceAll(/ class="[\w -]*"/g, '')
  const tags = tagsOf(svg)
  return tags !== null && tags.every(isHarmless) && isOneImage(tags) ? svg : null
}
