import { el, on } from './dom.ts'

/** A button that copies a text, and says so. */
export function copyButton(text: string, label: string): HTMLElement {
  const button = el('button', { type: 'button', class: 'copy', 'aria-label': label }, 'Copy')
  return on(button, {
    click: () =>
      void navigator.clipboard.writeText(text).then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'Select and copy'),
      ),
  })
}
