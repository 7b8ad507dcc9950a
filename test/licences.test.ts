import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod'

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      license: z.string().optional(),
      dev: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
})
const Manifest = z.object({ allowScripts: z.record(z.string(), z.boolean()) })
const root = new URL('..', import.meta.url)
const { packages } = Lock.parse(JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')))

const ALLOWED = /^(MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|Python-2\.0|Zlib)$/
/** Of several to choose from, one is enough. */
const isAllowed = (licence: string): boolean =>
  licence
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((one) => ALLOWED.test(one))

it('ships with nothing whose licence asks more than to be named', () => {
  const others = Object.entries(packages).filter(
    ([path, { license, dev }]) => path !== '' && !dev && !isAllowed(license ?? 'unknown'),
  )
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([])
})

it('names every package that would run a script when it is installed', () => {
  const { allowScripts } = Manifest.parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')))
  const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.replace(/^.*node_modules\//, '')] : [],
  )
  // A watcher of files for macOS alone.
  expect([...new Set(scripted)].filter((name) => name !== 'fsevents' && !(name in allowScripts))).toEqual([])
})

// A registry mirror may lack builds for other platforms. npm then leaves them out of the lock file and `npm ci` refuses it.
it('locks the builds of every platform, so that npm ci accepts the lock file anywhere', () => {
  const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')))
  const missing = Object.values(packages).flatMap(({ optionalDependencies }) =>
    Object.keys(optionalDependencies).filter((name) => !locked.has(name)),
  )
  expect(missing).toEqual([])
})
