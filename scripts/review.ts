import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { RequestStatus } from '../src/contract/listing-request.ts'
import { visible } from '../src/contract/visible.ts'
import { Slug } from '../src/contract/words.ts'
import type { Queue, RequestRecord } from '../src/queue/queue.ts'
import { openRegistry } from '../src/registry/registry.ts'
import { approve } from '../src/review/approve.ts'
import { CLOSED, reasonsFor } from '../src/review/decisions.ts'
import { type Decision, decide } from '../src/review/decide.ts'
import { hintsOf } from '../src/review/hints.ts'
import { type Waiting, listText, requestText } from '../src/review/print.ts'
import { type PublishedSlugs, publishedSlugs } from '../src/review/published-slugs.ts'
import { applyDueChanges } from '../src/review/due-changes.ts'
import { textAt } from '../src/tree/reader.ts'
import { environment } from './environment.ts'
import { QUEUE_ABOUT, openQueue } from './open-queue.ts'
import { REGISTRY, readRegistry, registryFile } from './registry-file.ts'
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
Lists open listing requests, oldest first, and records decisions. An id may be shortened to a unique prefix.

  --reason           reason of the decision; optional if there is only one:
${Object.values(DECISIONS)
  .map((status) => `                       ${status.padEnd(11)} ${reasonsFor(status).join(', ')}`)
  .join('\n')}
  --note             public text that replaces the standard text of the reason
  --of               duplicate: the original request or the slug of the listing
  --verified         approve: identity and contracts of the asset are confirmed
  --slug             approve: slug of the listing, derived from the name by default
  --relist           approve: slug of the delisted asset to list again with its history; the decision is recorded
  --yes              approve: write the registry entry without confirmation
  --dry-run          approve: show the registry entry without writing it
  --queue            ${QUEUE_ABOUT}
  --registry         file of reviewed assets, the built-in one by default
  --tree             folder of the published tree, dist by default
purge expires requests without activity for 90 days, and deletes contacts 30 days after closing. Every snapshot does so too.`

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
      slug: text,
      relist: text,
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
  const published = publishedIn(given.tree)
  if (given.command === 'purge') return purge(queue, published, now)
  const registry = openRegistry({ assets: readRegistry(given.registry), file: given.registry })
  const waiting = (record: RequestRecord): Waiting => ({
    record,
    hints: hintsOf(record, published?.listed ?? [], registry, published?.formerOwner),
  })
  if (given.command === 'list') {
    const records = (await queue.list()).filter(({ status }) => given.all || !CLOSED.has(status)).toSorted(byAge)
    if (!published) printError(`${given.tree} holds no published tree, so hints only cover chains.`)
    print(given.json ? JSON.stringify(records.map(waiting), null, 2) : listText(records.map(waiting), now))
    return EXIT.done
  }
  const record = await find(queue, given.ids)
  if (given.command === 'show')
    print(given.json ? JSON.stringify(waiting(record), null, 2) : requestText(waiting(record)))
  else await decideOn(record, { given, queue, published, now })
  return EXIT.done
})

interface Session {
  readonly given: Arguments
  readonly queue: Queue
  readonly published: PublishedSlugs | null
  readonly now: number
}

async function decideOn(record: RequestRecord, session: Session): Promise<void> {
  const { given } = session
  const status = Object.entries(DECISIONS).find(([name]) => name === given.command)?.[1]
  if (!status) throw new UsageError(`There is no command "review ${given.command}".\n\n${HELP}`)
  const isNew = status === 'approved' && record.body.request_type === 'new'
  const after = isNew ? await approveNew(record, session) : await decided(record, status, session)
  if (!after) print('Nothing was written.')
  else print(visible(`${record.request_id} is ${after.status}: ${after.reason ?? ''}`))
}

/** Records a decision that does not write the registry. */
async function decided(
  record: RequestRecord,
  status: RequestStatus,
  { given, queue, now }: Session,
): Promise<RequestRecord | null> {
  const { request_type, slug } = record.body
  const isByHand = status === 'approved'
  if (isByHand) print(`Approving "${request_type}" does not change the registry. Edit ${given.registry} by hand.`)
  const decision = {
    status,
    ...(given.reason === undefined ? {} : { code: given.reason }),
    ...noteOf(given),
    ...(await repeated(given, queue)),
    ...(isByHand && slug !== undefined ? { listing: slug } : {}),
  }
  return queue.update(record.request_id, (current) => decide(current, decision, now))
}

function noteOf({ note }: Arguments): { note?: string } {
  return note === undefined ? {} : { note }
}

function approveNew(
  { request_id }: RequestRecord,
  { given, published, queue, now }: Session,
): Promise<RequestRecord | null> {
  if (!published)
    throw new UsageError(`${given.tree} holds no published tree, so used slugs are unknown. Name the tree with --tree.`)
  const file = registryFile(given.registry)
  const wish = {
    isVerified: given.verified,
    ...noteOf(given),
    ...(given.reason === undefined ? {} : { code: given.reason }),
    ...(given.slug === undefined ? {} : { slug: slugIn('slug', given.slug) }),
    ...(given.relist === undefined ? {} : { relist: slugIn('relist', given.relist) }),
  }
  const confirm = async () => !given['dry-run'] && (given.yes || agreed(`Write it to ${file.name}?`))
  return approve(request_id, wish, { queue, file, published, now, show: print, confirm })
}

function slugIn(option: string, text: string): string {
  const slug = Slug.safeParse(text)
  if (slug.success) return slug.data
  throw new UsageError(`--${option} takes a slug, such as grove-coin, not "${text}".`)
}

function byAge(a: RequestRecord, b: RequestRecord): number {
  return a.submitted_at + a.request_id < b.submitted_at + b.request_id ? -1 : 1
}

/** Returns the slugs of the published tree in a folder, or null if there is none. */
function publishedIn(tree: string): PublishedSlugs | null {
  return publishedSlugs((file) => textAt(join(tree, file)))
}

async function find(queue: Queue, ids: readonly string[]): Promise<RequestRecord> {
  const [id] = ids
  if (id === undefined || ids.length > 1) throw new UsageError(`Name one request by its id.\n\n${HELP}`)
  const found = (await queue.list()).filter(({ request_id }) => request_id.startsWith(id))
  const [record] = found
  if (!record || found.length > 1)
    throw new UsageError(
      found.length === 0
        ? `There is no request ${id}.`
        : `${found.length} requests begin with ${id}. Give more of the id.`,
    )
  return record
}

/** Returns the original of a duplicate: a request, or else a listing. */
async function repeated({ of }: Arguments, queue: Queue): Promise<Pick<Decision, 'duplicateOf' | 'listing'>> {
  if (of === undefined) return {}
  return (await queue.list()).some(({ request_id }) => request_id === of) ? { duplicateOf: of } : { listing: of }
}

async function agreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      'Cannot ask for confirmation without a terminal. Add --yes to write the entry, or --dry-run to only show it.',
    )
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

async function purge(queue: Queue, published: PublishedSlugs | null, now: number): Promise<number> {
  const { listed, expired, purged, deleted } = await applyDueChanges(
    queue,
    new Set(published?.listed.map(({ slug }) => slug)),
    now,
  )
  print(`${listed} listed, ${expired} expired, contacts of ${purged} and ${deleted} old ones deleted`)
  return EXIT.done
}
