/** Content of an element. Strings become text nodes, so outside text is never parsed as markup. */
export type Child = Node | string | number | null | readonly Child[]

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>
type Events = { readonly [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void }

const SVG = 'http://www.w3.org/2000/svg'

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue
    element.setAttribute(name, value === true ? '' : String(value))
  }
  append(element, children)
}

function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null) continue
    if (typeof child === 'string' || typeof child === 'number') parent.append(String(child))
    else if (child instanceof Node) parent.append(child)
    else append(parent, child)
  }
}

/** Creates an element with attributes and children. Null attributes are left out. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  fill(element, attributes, children)
  return element
}

/** Creates an SVG element. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(SVG, tag)
  fill(element, attributes, children)
  return element
}

/** Adds event listeners and returns the element. */
export function on<Target extends HTMLElement>(element: Target, events: Events): Target {
  for (const [name, listener] of Object.entries(events))
    if (typeof listener === 'function')
      element.addEventListener(name, (event) => Reflect.apply(listener, null, [event]))
  return element
}

/** Returns the element with an id. @throws if the page has none of that kind */
export function part<Kind extends HTMLElement>(id: string, kind: abstract new () => Kind): Kind {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

/** Replaces the children of an element. */
export function show(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren()
  append(element, children)
}

/** Like {@link show}, but keeps the focus on the button that replaces the focused one. */
export function showAgain(element: Element, ...children: readonly Child[]): void {
  const place = [...element.querySelectorAll('button')].findIndex((button) => button === document.activeElement)
  show(element, ...children)
  element.querySelectorAll('button')[place]?.focus()
}

/** A link to another site, without a referrer. URLs other than https become text. */
export const outward = (url: string, ...children: readonly Child[]): HTMLElement =>
  url.startsWith('https://')
    ? el('a', { href: url, rel: 'noopener noreferrer nofollow', target: '_blank' }, ...children)
    : el('span', {}, ...children)

/** Converts text in backticks to `code` elements. */
export const withCode = (text: string): Child[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? el('code', {}, part) : part))
