import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import fse from 'fs-extra'
import { specs } from '../src/endpoints/table.ts'
import { printGrowth } from '../src/hosting/growth.ts'
import { HOSTS, type HostPlan } from '../src/hosting/table.ts'
import { bundle } from './hosts/bundle.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main, parsed, wholeNumber } from './usage.ts'

const HELP = `npm run hosting -- ${Object.keys(HOSTS).join('|')} [options]
Generates the configuration of a host from the table of endpoints. With --plan, shows what a number of listings takes on
each host, and its documented limits.

  --tree             folder of the tree, dist by default
  --out              folder for the host's own files, .hosting/<host> by default
  --server           nginx and caddy: host:port of npm run serve, 127.0.0.1:8787 by default
  --port             nginx and caddy: port to listen on, 80 by default
  --database         cloudflare: id of the D1 database of listing requests
  --plan             show the limits of all hosts and the layout that fits
  --listings         with --plan: number of listings, 3000 by default
  --cadence          with --plan: minutes between runs, 30 by default
  --brotli           nginx: its brotli static module is available`

const OPTIONS = {
  tree: { type: 'string', default: 'dist' },
  out: { type: 'string' },
  server: { type: 'string', default: '127.0.0.1:8787' },
  port: { type: 'string', default: '80' },
  brotli: { type: 'boolean', default: false },
  database: { type: 'string', default: '' },
  plan: { type: 'boolean', default: false },
  listings: { type: 'string', default: '3000' },
  cadence: { type: 'string', default: '30' },
  help: { type: 'boolean', default: false },
} as const

await main(async () => {
  const { values, positionals } = parsed('hosting', {
    allowPositionals: true,
    options: OPTIONS,
  })
  if (values.help) {
    print(HELP)
    return EXIT.done
  }
  if (values.plan) {
    print(planText(values.listings, values.cadence))
    return EXIT.done
  }
  const [host = ''] = positionals
  const plan = Object.entries(HOSTS).find(([name]) => name === host)?.[1]
  if (!plan || positionals.length > 1) throw new UsageError(`Name one host.\n\n${HELP}`)
  const root = treeFor(plan, values.tree)
  const out = resolve(values.out ?? join('.hosting', host))
  const files = plan.files({
    specs,
    tree: treeAsSeenBy(host, root, out),
    server: values.server,
    port: wholeNumber('port', values.port) ?? 80,
    brotli: values.brotli,
    database: values.database || null,
  })
  for (const { path, text, place } of files) write(join(place === 'tree' ? root : out, path), text)
  if (plan.program) write(join(out, plan.program.path), await bundle(plan.program.name, plan.program.platform))
  print(`Next, in ${relative('.', out) || '.'}: ${plan.next}`)
  return EXIT.done
})

/** Returns the folder of the tree. @throws UsageError if the host needs one and there is none */
function treeFor({ isWithoutTree }: HostPlan, tree: string): string {
  const root = resolve(tree)
  if (isWithoutTree || existsSync(root)) return root
  throw new UsageError(`${tree} does not exist. Run npm run snapshot first.`)
}

/** Returns the tree's path. Deployments run in the folder of the host's files; nginx and Caddy run anywhere. */
function treeAsSeenBy(host: string, root: string, out: string): string {
  return ['nginx', 'caddy'].includes(host) ? root : relative(out, root)
}

function planText(listings: string, cadence: string): string {
  const runsPerDay = Math.floor((24 * 60) / (wholeNumber('cadence', cadence) ?? 30))
  return printGrowth(wholeNumber('listings', listings) ?? 3000, runsPerDay)
}

function write(path: string, text: string): void {
  fse.ensureDirSync(dirname(path))
  fse.writeFileSync(path, text)
  print(relative('.', path))
}
