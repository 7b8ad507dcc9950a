type Content = Element | string

/** Tags of SVG. */
const DRAWN = new Set(['svg', 'g', 'path', 'line', 'text'])

/** Creates an element. These scripts are small, and a renderer of components would be a third of them. */
export function make(
  tag: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Content[]
): Element {
  const element = DRAWN.has(tag)
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/** Returns the element with an id. @throws if the page has none */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no ${id}`)
  return found
}

/** Calls a listener for events of the elements of a page that match a selector, also of those that come later. */
export function on<Name extends keyof DocumentEventMap>(
  name: Name,
  selector: string,
  listener: (element: HTMLElement, event: DocumentEventMap[Name]) => void,
): void {
  document.addEventListener(name, (event) => {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null
    if (element !== null) listener(element, event)
  })
}
