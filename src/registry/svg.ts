/** Most characters of a logo. */
const MOST = 64 * 2 ** 10

/** Returns why a text is no harmless SVG, or null if it is one. Opened on its own, an SVG is a page that could run scripts. */
export function svgFault(text: string): string | null {
  if (text.length > MOST) return 'is larger than 64 KiB'
  if (!/<svg[\s>]/.test(text)) return 'is no SVG'
  if (
    /<script|<foreignObject|<!ENTITY|\son[a-z]+\s*=|javascript:|(?:href|src)\s*=\s*["']?\s*(?:https?:)?\/\//i.test(text)
  )
    return 'holds a script or loads something from elsewhere. Export it as a plain SVG'
  return null
}
