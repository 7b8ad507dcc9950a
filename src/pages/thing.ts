import { on } from './browser.ts'
import { currencyNow, digitsOf } from './currency.ts'
import './start.ts'

const idle = (run: () => void) =>
  'requestIdleCallback' in globalThis ? requestIdleCallback(run) : setTimeout(run, 200)

/** The document of no thing shows what its address names: `?id=bitcoin`, or `/token/bitcoin` where there is no such file. */
const loading = document.querySelector('.loading')
const [, name = ''] = (loading && /\/(?:token|exchanges|categories)\/([^/.]+)$/.exec(location.pathname)) ?? []
const id = new URLSearchParams(location.search).get('id') ?? decodeURIComponent(name)
if (id !== '' || loading) await import('./any-thing.tsx').then(({ showThing }) => showThing(id))
if (document.querySelector('#history')) idle(() => void import('./chart.ts').then(({ mountChart }) => mountChart()))

addEventListener('currencychange', () => {
  const { symbol } = currencyNow()
  const [coin, money] = document.querySelectorAll<HTMLInputElement>('.converter input')
  if (!coin || !money) return
  money.ariaLabel = `Amount in ${symbol}`
  money.nextElementSibling?.replaceChildren(symbol)
  coin.dispatchEvent(new Event('input', { bubbles: true }))
})

/** The other amount of a converter follows from the one that the reader writes. */
on('input', '.converter input', HTMLInputElement, (field) => {
  const converter = field.closest<HTMLElement>('.converter')
  const other = [...(converter?.querySelectorAll('input') ?? [])].find((input) => input !== field)
  if (!other) return
  const rate = Number(converter?.dataset['price']) / currencyNow().price_usd
  const amount = Number(field.value)
  other.value = field.value === '' ? '' : digitsOf(field.dataset['unit'] === 'coin' ? amount * rate : amount / rate)
})
