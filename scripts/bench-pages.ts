import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import * as z from 'zod'
import { CONTENT_TYPES } from '../src/contract/content-types.ts'
import { print } from '../src/contract/text.ts'
import { CHROMIUM, openChromium } from './chromium.ts'

/** Wheel events and their distance: a fast scroll through the whole table. */
const TURNS = 300
const TURN_PX = 1870

const List = z.looseObject({ rows: z.array(z.looseObject({ slug: z.string() })) })

/** Repeats the rows of the full feed up to `rows`. */
function longer(text: string, rows: number): string {
  const list = List.parse(JSON.parse(text))
  const more = Array.from({ length: rows }, (_, at) => {
    const row = list.rows[at % list.rows.length]
    return { ...row, slug: `${row?.slug}-${at}`, market_cap_rank: at + 1 }
  })
  return print({ ...list, count: rows, total: rows, rows: more })
}

/** Browser measurements of the market table. */
export interface Scrolling {
  /** CPU time of the page's main thread until the table has all rows, in ms. */
  readonly interactiveCpuMs: number
  /** Duration of each task over 50 ms while scrolling, in ms. */
  readonly longTasksMs: readonly number[]
  /** 95th and 99th percentile of the time between frames, in ms. */
  readonly frameP95Ms: number
  readonly frameP99Ms: number
  readonly drawnRows: number
}

const Measured = z.object({ tasks: z.array(z.number()), frames: z.array(z.number()), drawn: z.number() })

/** Records long tasks and frames. */
const WATCH = `
  self.tasks = []; self.frames = []
  new PerformanceObserver((list) => self.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })
  let last = performance.now()
  const frame = (now) => { self.frames.push(now - last); last = now; requestAnimationFrame(frame) }
  requestAnimationFrame(frame)`

const READ = '({ tasks: self.tasks, frames: self.frames, drawn: document.querySelectorAll(".rows .row").length })'

/** Scrolls a market table of `rows` rows in the installed Chromium. Returns null if there is none. */
export async function benchPages(tree: string, rows: number): Promise<Scrolling | null> {
  if (CHROMIUM === undefined) return null
  const read = (path: string) => readFileSync(join(tree, path))
  const markets = longer(read('api/mkt/markets.json').toString(), rows)
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host')
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    response.setHeader('content-type', CONTENT_TYPES[extname(path)] ?? 'application/octet-stream')
    response.end(path === '/api/mkt/markets.json' ? markets : read(path))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const browser = await openChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    const inspected = await page.context().newCDPSession(page)
    // Ticks of the thread: what other programs take of the processor does not count.
    await inspected.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'networkidle' })
    await page.locator(`[aria-rowcount="${rows + 1}"]`).waitFor()
    const { metrics } = await inspected.send('Performance.getMetrics')
    const interactiveCpuMs = 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN)
    await page.evaluate(WATCH)
    await page.mouse.move(600, 500)
    for (let turn = 0; turn < TURNS; turn++) await page.mouse.wheel(0, TURN_PX)
    await page.waitForTimeout(500)
    const { tasks, frames, drawn } = Measured.parse(await page.evaluate(READ))
    const sorted = frames.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
    return { interactiveCpuMs, longTasksMs: tasks, frameP95Ms: at(0.95), frameP99Ms: at(0.99), drawnRows: drawn }
  } finally {
    await browser.close()
    server.close()
  }
}
