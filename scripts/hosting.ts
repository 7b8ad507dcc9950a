import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import fse from 'fs-extra'
import { specs } from '../src/endpoints/table.ts'
import { HOSTS } from '../src/hosting/table.ts'
import { bundle } from './hosts/bundle.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main, parsed, wholeNumber } from './usage.ts'

const HELP = `npm run hosting -- ${Object.keys(HOSTS).join('|')} [options]
Writes what a host is configured by, from the table of endpoints.

  --tree             folder of the tree, dist by default
  --out              folder for the host's own files, .hosting/<host> by default
  --server           of nginx and caddy, host:port of npm run serve, 127.0.0.1:8787 by default
  --port             of nginx and caddy, the port to listen on, 80 by default
  --database         of cloudflare, the id of the D1 database of listing requests
  --brotli           of nginx, that it has the module for brotli files`

await main(async () => {
  const { values, positionals } = parsed('hosting', {
    allowPositionals: true,
    options: {
      tree: { type: 'string', default: 'dist' },
      out: { type: 'string' },
      server: { type: 'string', default: '127.0.0.1:8787' },
      port: { type: 'string', default: '80' },
      brotli: { type: 'boolean', default: false },
      database: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    print(HELP)
    return EXIT.done
  }
  const [host = ''] = positionals
  const plan = Object.entries(HOSTS).find(([name]) => name === host)?.[1]
  if (!plan || positionals.length > 1) throw new UsageError(`name one host\n\n${HELP}`)
  const root = resolve(values.tree)
  if (!existsSync(root)) throw new UsageError(`${values.tree} is not there: run npm run snapshot first`)
  const out = resolve(values.out ?? join('.hosting', host))
  const files = plan.files({
    specs,
    // Deployed from the folder of the host's files; nginx and Caddy run from anywhere.
    tree: ['nginx', 'caddy'].includes(host) ? root : relative(out, root),
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

function write(path: string, text: string): void {
  fse.ensureDirSync(dirname(path))
  fse.writeFileSync(path, text)
  print(relative('.', path))
}
