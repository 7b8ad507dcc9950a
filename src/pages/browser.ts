import type { AnswerOf, Method } from '../client/answers.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'

/** Root of the site on any host and path. Scripts are one folder below. */
export const ROOT = new URL('..', import.meta.url)

/** Returns a file of this site, whose contract this program shares; null: there is none. @throws if it cannot be loaded */
export async function readIfThere<Answer>(path: string): Promise<Answer | null> {
  const response = await fetch(new URL(path, ROOT))
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}.`)
  const answer: Answer = await response.json()
  return answer
}

export async function read<Answer>(path: string): Promise<Answer> {
  const answer = await readIfThere<Answer>(path)
  if (answer === null) throw new Error(`There is no ${path}.`)
  return answer
}

const answerFile = (path: string): string => `${API_FOLDER}/${path}.json`
export const readAnswer = <Name extends Method>(path: string) => read<AnswerOf<Name>>(answerFile(path))
export const answerIfThere = <Name extends Method>(path: string) => readIfThere<AnswerOf<Name>>(answerFile(path))

/** Returns what this browser keeps under a name; null: nothing, or it forbids storage. */
export function saved(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

export function keep(name: string, text: string): void {
  try {
    localStorage.setItem(name, text)
  } catch {
    // A browser may forbid it.
  }
}

/** Parts of a view by the name of their parameter; null: the usual one, which needs no parameter. */
export type ViewParts = Readonly<Record<string, string | null>>

/** Returns the address of this page with parts of a view, so that it can be shared. */
export function addressWith(parts: ViewParts): URL {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(parts))
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  return url
}

export const keepInAddress = (parts: ViewParts): void => history.replaceState(history.state, '', addressWith(parts))

type Attributes = Readonly<Record<string, string>>

/** Creates an element. These scripts are small, and a renderer of components would be a third of them. */
export function make(tag: string, attributes: Attributes, ...children: readonly (Element | string)[]): Element {
  const isDrawn = ['svg', 'path', 'text'].includes(tag)
  const element = document.createElementNS(`http://www.w3.org/${isDrawn ? '2000/svg' : '1999/xhtml'}`, tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

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
