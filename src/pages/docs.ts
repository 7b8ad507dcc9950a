import { keep, saved, make, on, part, read } from './browser.ts'
import './start.ts'

const content = part('docs')

function speak(language: string | null): void {
  for (const tab of content.querySelectorAll<HTMLInputElement>('.samples > input'))
    if (tab.value === language) tab.checked = true
}

const place = new IntersectionObserver(
  (entries) => {
    const { target } = entries.find(({ isIntersecting }) => isIntersecting) ?? {}
    const link = content.querySelector<HTMLElement>(`.contents a[href="#${target?.id}"]`)
    if (!link) return
    content.querySelector('.contents [aria-current]')?.removeAttribute('aria-current')
    link.ariaCurrent = 'true'
    link.scrollIntoView({ block: 'nearest' })
  },
  { rootMargin: '-15% 0px -75% 0px' },
)

const MOST_LINES = 40

async function run(button: HTMLElement): Promise<void> {
  const code = button.parentElement
  const output =
    code?.querySelector('.output') ?? code?.insertBefore(make('pre', { class: 'output', tabindex: '0' }), button)
  if (!output) return
  try {
    const lines = JSON.stringify(await read<unknown>(button.dataset['file'] ?? ''), null, 2).split('\n')
    output.textContent = [...lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? ['…'] : [])].join('\n')
  } catch {
    output.textContent = 'This site has no answer at the moment.'
  }
}

for (const one of content.querySelectorAll('.doc')) place.observe(one)
on('change', '.samples > input', HTMLInputElement, ({ value }) => {
  keep('language', value)
  speak(value)
})
on('click', '.run', HTMLElement, (button) => void run(button))
speak(saved('language'))
