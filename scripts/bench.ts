import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchRun, benchScale } from './bench-run.ts'
import { benchFeed } from './bench-feed.ts'
import { benchPrice } from './bench-price.ts'
import { benchRuns } from './bench-runs.ts'
import { benchServe } from './bench-serve.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main } from './usage.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const PARTS: Readonly<Record<string, (work: string, at: number, runs: number) => void | Promise<void>>> = {
  run: benchRun,
  scale: benchScale,
  feed: benchFeed,
  runs: benchRuns,
  price: benchPrice,
  serve: benchServe,
}

async function measure(name: string, runs: number): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'quotetree-bench-'))
  try {
    await PARTS[name]?.(work, NOON, runs)
  } finally {
    rmSync(work, { recursive: true })
  }
}

await main(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      here: { type: 'boolean' },
      runs: { type: 'string', default: '200' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    print(
      `npm run bench -- [${Object.keys(PARTS).join('] [')}]\nMeasures these parts, all by default, each in a process of its own.\n` +
        '--runs N: number of runs of the part "runs", 200 by default.',
    )
    return EXIT.done
  }
  const parts = positionals.length > 0 ? positionals : Object.keys(PARTS)
  const unknown = parts.find((name) => !Object.hasOwn(PARTS, name))
  if (unknown !== undefined)
    throw new UsageError(`There is no part "${unknown}". Choose one of ${Object.keys(PARTS).join(', ')}.`)
  const count = Number(values.runs)
  if (!Number.isInteger(count) || count < 2) throw new UsageError('--runs is a number of 2 or more.')
  if (values.here) {
    for (const part of parts) await measure(part, count)
    return EXIT.done
  }
  print(`${cpus().length} cores, Node ${process.version}`)
  // One process per part: in a process that has built trees before, pricing takes nearly twice the time.
  for (const part of parts) {
    const { status } = spawnSync(
      process.execPath,
      [...process.execArgv, import.meta.filename, '--here', part, `--runs=${count}`],
      { stdio: 'inherit' },
    )
    if (status !== EXIT.done) return status ?? EXIT.fault
  }
  return EXIT.done
})
