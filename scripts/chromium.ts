import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where this machine has a Chromium; undefined where it has none, and tests that need it skip. */
export const CHROMIUM = PLACES.find((place) => existsSync(place))

/** Starts the machine's own Chromium, without what it asks the network for by itself. */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  })
