import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import * as z from 'zod'

const SHOTS = fileURLToPath(new URL('../../.screenshots', import.meta.url))

/** A page under watch: what it should not do is noted. */
export interface Watched {
  readonly page: Page
  /** Errors of the console and of programs, breaches of the policy, requests to other hosts. */
  readonly faults: string[]
  /** Addresses that the page asked for. Under a fixed clock, the browser's own list of them is empty. */
  readonly requested: string[]
  readonly context: BrowserContext
}

interface Screen {
  readonly width?: number
  readonly dark?: boolean
  /** Time of day of the browser, in ms since 1970. */
  readonly now: number
}

export async function watched(
  browser: Browser,
  site: string,
  { width = 1280, dark = false, now }: Screen,
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: sizeOf(width),
    colorScheme: dark ? 'dark' : 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  await page.clock.setFixedTime(now)
  const faults: string[] = []
  const requested: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('request', (request) => {
    requested.push(request.url())
    if (!request.url().startsWith(site)) faults.push(`foreign: ${request.url()}`)
  })
  return { page, faults, requested, context }
}

/** Makes a used page as good as new at a fraction of the cost: only the browser's cache is kept. */
export async function renewed(seen: Watched, { width = 1280, dark = false, now }: Screen): Promise<void> {
  const { page, faults, requested } = seen
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  if (page.url().startsWith('http')) await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await page.goto('about:blank')
  await page.setViewportSize(sizeOf(width))
  await page.emulateMedia({ media: null, colorScheme: dark ? 'dark' : 'light' })
  await page.clock.setFixedTime(now)
  faults.length = 0
  requested.length = 0
}

const sizeOf = (width: number) => ({ width, height: width < 600 ? 844 : 900 })

const Violations = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }))

export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  const violations = Violations.parse(
    await page.evaluate(
      'axe.run({ resultTypes: ["violations"], preload: false }).then(({ violations }) => violations)',
    ),
  )
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html.slice(0, 120))
        .slice(0, 3)
        .join(' ')}`,
  )
}

export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`) })
}
