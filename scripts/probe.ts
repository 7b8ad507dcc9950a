import { resolve } from 'node:path'
import { specs } from '../src/endpoints/table.ts'
import { probe, probeText } from '../src/check/probe.ts'
import { HOST_KINDS, type HostKind, isHostKind, siteAt } from '../src/check/probe-site.ts'
import { PRODUCT } from '../src/contract/product.ts'
import { diskStore } from '../src/service/disk-store.ts'
import { listen } from '../src/service/node.ts'
import { SENDER_LIMITS } from '../src/service/sender-limits.ts'
import { NO_QUEUE } from '../src/service/site.ts'
import { keyedMutex } from '../src/service/keyed-mutex.ts'
import { print, printError } from './terminal.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const HELP = `npm run probe -- <base_url>|--tree <folder> [--host ${HOST_KINDS.join('|')}] [--json]
Tests a live site against the contract: endpoints, files, headers, conditional requests, encodings, limits and errors.

  --host             kind of host: full answers everything (the default), rules everything except what needs a
  program, static only the .json files; features that such a host lacks are shown, but do not fail
  --tree             folder of a tree to serve during the test
  --json             print the results as JSON`

await main(async () => {
  const { values, positionals } = parsed('probe', {
    allowPositionals: true,
    options: {
      host: { type: 'string', default: 'full' },
      tree: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    print(HELP)
    return EXIT.done
  }
  if (!isHostKind(values.host)) throw new UsageError(`--host takes ${HOST_KINDS.join(', ')}, not "${values.host}".`)
  if (values.tree !== undefined) {
    const server = await served(values.tree)
    try {
      return await tested(server.url, values.host, values.json)
    } finally {
      await server.close()
    }
  }
  const [base] = positionals
  if (base === undefined || !URL.canParse(base)) throw new UsageError(`Name the URL of a site.\n\n${HELP}`)
  return tested(base, values.host, values.json)
})

async function tested(base: string, host: HostKind, json: boolean): Promise<number> {
  const results = await probe(siteAt(base, fetch), specs, host).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  })
  const failed = results.filter(({ outcome }) => outcome === 'failed').length
  if (json) print(JSON.stringify(results, null, 2))
  else print(`${probeText(results)}\n${results.length} checks, ${failed} failed`)
  return failed === 0 ? EXIT.done : EXIT.refused
}

/** Serves a tree on a free port, without listing requests. */
function served(tree: string) {
  const root = resolve(tree)
  const report = (error: unknown) => printError(error)
  const intake = { queue: NO_QUEUE, secret: 'none', limits: SENDER_LIMITS, mutex: keyedMutex() }
  const store = diskStore(root, () => performance.now())
  const context = {
    specs,
    store,
    intake,
    product: PRODUCT,
    now: Date.now,
    report,
    pages: root,
    proxies: 0,
    connections: 1000,
    log: null,
  }
  return listen(context, '127.0.0.1', 0)
}
