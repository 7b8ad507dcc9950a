import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline/promises'
import * as z from 'zod'
import { MarketsRow } from '../src/contract/asset.ts'
import { fileOf } from '../src/contract/endpoint-spec.ts'
import type { RequestStatus } from '../src/contract/listing-request.ts'
import { markets } from '../src/endpoints/markets.ts'
import type { Queue, RequestRecord } from '../src/queue/queue.ts'
import { type Registry, openRegistry } from '../src/registry/registry.ts'
import { CLOSED, reasonsFor } from '../src/review/decisions.ts'
import { type Decision, decide } from '../src/review/decide.ts'
import { entryFor, entryOf } from '../src/review/entry.ts'
import { type Known, hintsOf, strangeChains } from '../src/review/hints.ts'
import { type Waiting, diffText, listText, requestText } from '../src/review/print.ts'
import { withEntry } from '../src/review/registry-text.ts'
import { tidy } from '../src/review/tidy.ts'
import { environment } from './environment.ts'
import { QUEUE_ABOUT, openQueue } from './open-queue.ts'
import { REGISTRY, readRegistry, writeRegistry } from './registry-file.ts'
import { print, printError } from './terminal.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const DECISIONS = {
  open: 'in_review',
  approve: 'approved',
  reject: 'rejected',
  'needs-info': 'needs_info',
  duplicate: 'duplicate',
  withdraw: 'withdrawn',
} as const satisfies Readonly<Record<string, RequestStatus>>

const COMMANDS = ['list', 'show', 'purge', ...Object.keys(DECISIONS)]

const HELP = `npm run review -- [list] [--all] [--json]
npm run review -- show <id> [--json]
npm run review -- ${Object.keys(DECISIONS).join('|')} <id> --reason <code> [--note <text>]
npm run review -- purge
Lists what is waiting, oldest first, and keeps what reviewers decide. An id may be cut while it stays the only one.

  --reason           why; may be left out where there is only one:
${Object.values(DECISIONS)
  .map((status) => `                       ${status.padEnd(11)} ${reasonsFor(status).join(', ')}`)
  .join('\n')}
  --note             a sentence in place of the reason's own; everybody reads it
  --of               of a duplicate, the request or the slug that it repeats
  --verified         of an approval: its identity and contracts are confirmed
  --yes              write what an approval writes without asking
  --dry-run          show what an approval writes, and leave it
  --queue            ${QUEUE_ABOUT}
  --registry         file of reviewed assets, the built-in one by default
  --tree             folder of the published tree, dist by default
purge expires what nobody touched for 90 days and deletes contacts 30 days after closing; a snapshot does it too.`

const flag = { type: 'boolean', default: false } as const
const text = { type: 'string' } as const

function readArguments() {
  const { values, positionals } = parsed('review', {
    allowPositionals: true,
    options: {
      all: flag,
      json: flag,
      reason: text,
      note: text,
      of: text,
      verified: flag,
      yes: flag,
      'dry-run': flag,
      queue: { type: 'string', default: '.queue' },
      registry: { type: 'string', default: REGISTRY },
      tree: { type: 'string', default: 'dist' },
      help: flag,
    },
  })
  return { ...values, command: positionals[0] ?? 'list', ids: positionals.slice(1) }
}
type Arguments = ReturnType<typeof readArguments>

await main(async () => {
  const given = readArguments()
  const now = environment().MKT_NOW === undefined ? Date.now() : Date.parse(environment().MKT_NOW ?? '')
  if (given.help) {
    print(HELP)
    return EXIT.done
  }
  if (!COMMANDS.includes(given.command))
    throw new UsageError(`There is no command "review ${given.command}".\n\n${HELP}`)
  const queue = openQueue(given.queue)
  const known = knownIn(given.tree)
  if (given.command === 'purge') return purge(queue, known, now)
  const registry = openRegistry({ assets: readRegistry(given.registry), file: given.registry })
  const waiting = (record: RequestRecord): Waiting => ({ record, hints: hintsOf(record, known ?? [], registry) })
  if (given.command === 'list') {
    const records = (await queue.list()).filter(({ status }) => given.all || !CLOSED.has(status)).toSorted(byAge)
    if (!known) printError(`${given.tree} holds no published tree, so the hints know the chains alone`)
    print(given.json ? JSON.stringify(records.map(waiting), null, 2) : listText(records.map(waiting), now))
    return EXIT.done
  }
  const record = await find(queue, given.ids)
  if (given.command === 'show') {
    print(given.json ? JSON.stringify(waiting(record), null, 2) : requestText(waiting(record)))
    return EXIT.done
  }
  const status = Object.entries(DECISIONS).find(([name]) => name === given.command)?.[1]
  if (!status) throw new UsageError(`There is no command "review ${given.command}".\n\n${HELP}`)
  const listing = status === 'approved' ? await listingFor(record, given, registry, known, now) : undefined
  if (listing === null) return EXIT.done
  const decision = {
    status,
    ...wordsOf(given),
    ...(await repeated(given, queue)),
    ...(listing === undefined ? {} : { listing }),
  }
  const after = await queue.update(record.request_id, (current) => decide(current, decision, now))
  print(`${record.request_id} is ${after?.status ?? 'gone'}: ${after?.reason ?? ''}`)
  return EXIT.done
})

function byAge(a: RequestRecord, b: RequestRecord): number {
  return a.submitted_at + a.request_id < b.submitted_at + b.request_id ? -1 : 1
}

/** Listings of the published tree; null where there is none. */
function knownIn(tree: string): readonly Known[] | null {
  const file = join(tree, fileOf(markets, {}))
  const Rows = z.object({
    rows: z.array(
      MarketsRow.pick({ slug: true, symbol: true, name: true, verification_status: true, contracts: true }),
    ),
  })
  return existsSync(file) ? Rows.parse(JSON.parse(readFileSync(file, 'utf8'))).rows : null
}

async function find(queue: Queue, ids: readonly string[]): Promise<RequestRecord> {
  const [id] = ids
  if (id === undefined || ids.length > 1) throw new UsageError(`Name one request by its id.\n\n${HELP}`)
  const found = (await queue.list()).filter(({ request_id }) => request_id.startsWith(id))
  const [record] = found
  if (!record || found.length > 1)
    throw new UsageError(found.length === 0 ? `there is no request ${id}` : `${found.length} requests begin with ${id}`)
  return record
}

function wordsOf({ reason, note }: Arguments): Pick<Decision, 'code' | 'note'> {
  return { ...(reason === undefined ? {} : { code: reason }), ...(note === undefined ? {} : { note }) }
}

/** What a duplicate repeats: a request, or else a listing. */
async function repeated({ of }: Arguments, queue: Queue): Promise<Pick<Decision, 'duplicateOf' | 'listing'>> {
  if (of === undefined) return {}
  return (await queue.list()).some(({ request_id }) => request_id === of) ? { duplicateOf: of } : { listing: of }
}

/** Writes the registry's entry of an approved request; its slug, null where the reviewer did not want it. */
async function listingFor(
  record: RequestRecord,
  given: Arguments,
  registry: Registry,
  known: readonly Known[] | null,
  now: number,
): Promise<string | null | undefined> {
  // What cannot be approved is refused before a file is touched.
  decide(record, { status: 'approved', ...wordsOf(given) }, now)
  if (record.body.request_type !== 'new') {
    print(`A ${record.body.request_type} is made by hand: edit ${given.registry}`)
    return record.body.slug
  }
  const present = entryFor(record, registry)
  if (present) {
    print(`${given.registry} has it already as ${present.slug}`)
    return present.slug
  }
  const taken = new Set([...(known ?? []), ...registry.assets].map(({ slug }) => slug))
  const entry = entryOf(record, registry, taken, given.verified)
  const before = readFileSync(given.registry, 'utf8')
  const after = withEntry(before, entry)
  // Refused here rather than by the next build.
  openRegistry({ assets: JSON.parse(after), file: given.registry })
  const name = relative('.', given.registry)
  print([`--- ${name}`, `+++ ${name}`, diffText(before, after)].join('\n'))
  for (const chain of strangeChains(record.body, registry))
    print(`left out: a spec on ${chain}, which src/registry/chains.json does not know`)
  if (given['dry-run'] || !(given.yes || (await agreed(`Write it to ${name}?`)))) {
    print('Nothing was written.')
    return null
  }
  writeRegistry(given.registry, after)
  return entry.slug
}

async function agreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError('there is nobody to ask: say --yes to write it, or --dry-run to leave it')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

async function purge(queue: Queue, known: readonly Known[] | null, now: number): Promise<number> {
  const { listed, expired, purged } = await tidy(queue, new Set(known?.map(({ slug }) => slug)), now)
  print(`${listed} listed, ${expired} expired, the contacts of ${purged} deleted`)
  return EXIT.done
}
