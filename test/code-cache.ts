import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Script } from 'node:vm'

/** Runs a program in the module format of `require` with what its first run compiled: tests start a hundred. */
export function runWithCodeCache(file: string): void {
  // Each command of a program runs another part of it.
  const cache = `${file}.${/^[a-z-]+$/.exec(process.argv[2] ?? '')?.[0] ?? 'any'}.cache`
  const cachedData = existsSync(cache) ? { cachedData: readFileSync(cache) } : {}
  const script = new Script(Module.wrap(readFileSync(file, 'utf8')), { filename: file, ...cachedData })
  if (cachedData.cachedData === undefined)
    process.once('exit', () => {
      // Programs of one name may end at the same time.
      writeFileSync(`${cache}.${process.pid}`, script.createCachedData())
      renameSync(`${cache}.${process.pid}`, cache)
    })
  script.runInThisContext()({}, createRequire(file), { exports: {} }, file, dirname(file))
}
