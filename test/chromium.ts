import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Path of the installed Chromium; undefined if there is none. Tests that need it are then skipped. */
export const CHROMIUM = PLACES.find((place) => existsSync(place))

/** Starts the installed Chromium without its background network requests. */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  })
