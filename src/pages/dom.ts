const DRAWN = new Set(['svg', 'g', 'path', 'line', 'text'])

/** Creates an element. These scripts are small, and a renderer of components would be a third of them. */
export function make(
  tag: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Element | string)[]
): Element {
  const element = DRAWN.has(tag)
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/** Returns the control with an id. @throws if the page has none of this kind */
export function control<Found extends HTMLElement>(id: string, kind: new () => Found): Found {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`)
  return found
}

export const part = (id: string): HTMLElement => control(id, HTMLElement)

/** Calls a listener for events of the elements of a page that match a selector, also of those that come later. */
export function on<Found extends HTMLElement>(
  name: string,
  selector: string,
  kind: new () => Found,
  listener: (element: Found) => void,
): void {
  document.addEventListener(name, ({ target }) => {
    const element = target instanceof Element ? target.closest(selector) : null
    if (element instanceof kind) listener(element)
  })
}
