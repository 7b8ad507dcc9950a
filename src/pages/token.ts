import { currencyNow, digitsOf } from './currency.ts'
import { on } from './dom.ts'
import './start.ts'
import { idHere } from './thing.ts'

/** Loads the chart once the browser has nothing else to do. */
const idle = (run: () => void) =>
  'requestIdleCallback' in globalThis ? requestIdleCallback(run) : setTimeout(run, 200)
const chart = () => idle(() => void import('./chart.ts').then(({ mountChart }) => mountChart()))

const isDocument = document.querySelector('#history') !== null
// Older links have it as their hash.
const id = idHere() || (isDocument ? '' : decodeURIComponent(location.hash.slice(1)))
if (!isDocument || id !== '') await import('./any-thing.tsx').then(({ showToken }) => showToken(id))
chart()
addEventListener('renewed', chart)

/** Shows the converter in the chosen currency. */
function showConverter(): void {
  const { symbol } = currencyNow()
  const [coin, money] = document.querySelectorAll<HTMLInputElement>('.converter input')
  if (!coin || !money) return
  money.ariaLabel = `Amount in ${symbol}`
  money.nextElementSibling?.replaceChildren(symbol)
  coin.dispatchEvent(new Event('input', { bubbles: true }))
}
addEventListener('currencychange', showConverter)

/** The other amount of a converter follows from the one that the reader writes. */
on('input', '.converter input', (field) => {
  const converter = field.closest<HTMLElement>('.converter')
  const other = [...(converter?.querySelectorAll('input') ?? [])].find((input) => input !== field)
  if (!(field instanceof HTMLInputElement) || !other) return
  const rate = Number(converter?.dataset['price']) / currencyNow().price_usd
  const amount = Number(field.value)
  other.value = field.value === '' ? '' : digitsOf(field.dataset['unit'] === 'coin' ? amount * rate : amount / rate)
})
