import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import * as z from 'zod'
import type { RequestStatus } from '../src/contract/listing-request.ts'
import { visible, visibleLines } from '../src/contract/visible.ts'
import { Slug } from '../src/contract/words.ts'
import { type Queue, type RequestRecord, byAge } from '../src/requests/queue.ts'
import { openRegistry } from '../src/registry/registry.ts'
import { approve } from '../src/requests/approve.ts'
import { CLOSED, type Decision, decide, reasonsFor } from '../src/requests/decisions.ts'
import { hintsOf } from '../src/requests/hints.ts'
import { type Waiting, listText, requestText } from '../src/requests/print.ts'
import { type Findings, checkAsset, findingsMarkdown } from '../src/requests/proposed-asset.ts'
import { type PublishedSlugs, publishedSlugs } from '../src/requests/published-slugs.ts'
import { applyDueChanges } from '../src/requests/due-changes.ts'
import { textAt } from '../src/tree/reader.ts'
import { suggestion } from '../src/config/nearest.ts'
import { TREE, type Output, type Parsed, declare, seeHelp, flag, text } from './command.ts'
import { runTime } from './environment.ts'
import { QUEUE_ABOUT, openQueue } from './open-queue.ts'
import { folderRegistry, registryOf, reviewedRegistry, type ReviewedRegistry } from './registry-file.ts'
import { settingsWith } from './settings.ts'
import { print, printError } from './terminal.ts'
import { EXIT, UsageError } from './usage.ts'

const DECISIONS = {
  open: 'in_review',
  approve: 'approved',
  reject: 'rejected',
  'needs-info': 'needs_info',
  duplicate: 'duplicate',
  withdraw: 'withdrawn',
} as const satisfies Readonly<Record<string, RequestStatus>>

const ACTIONS = ['list', 'show', 'purge', 'check', ...Object.keys(DECISIONS)]

/** Returns the decision that a command records; null: it records none. @throws UsageError if there is no such command */
function decisionOf(command: string): RequestStatus | null {
  if (!ACTIONS.includes(command))
    throw new UsageError(`There is no command "registry ${command}". ${suggestion(command, ACTIONS)}`)
  return new Map<string, RequestStatus>(Object.entries(DECISIONS)).get(command) ?? null
}

const REASONS = Object.values(DECISIONS)
  .map((status) => `  ${status.padEnd(11)} ${reasonsFor(status).join(', ')}`)
  .join('\n')

const OPTIONS = {
  all: flag('list: closed requests too'),
  reason: text('reason of the decision; optional if there is only one'),
  note: text('public text that replaces the standard text of the reason'),
  of: text('duplicate: the original request or the slug of the listing'),
  verified: flag('approve: identity and contracts of the asset are confirmed'),
  slug: text('approve: slug of the listing, derived from the name by default'),
  relist: text('approve: slug of the delisted asset to list again with its history; the decision is recorded'),
  yes: flag('approve: write the registry entry without confirmation'),
  'dry-run': flag('approve: show the registry entry without writing it'),
  queue: { type: 'string', default: '.queue', about: QUEUE_ABOUT },
  registry: text("folder of reviewed assets: the publisher's own or src/registry/assets by default"),
  tree: TREE,
  comment: text('check: file to write the findings into, as the comment of a pull request'),
} as const

type Arguments = Parsed<typeof OPTIONS>['values'] & {
  readonly command: string
  readonly ids: readonly string[]
  readonly output: Output
}

export const command = declare({
  operands: `[list|show <id>|${Object.keys(DECISIONS).join(' <id>|')} <id>|purge|check <file>...]`,
  options: OPTIONS,
  notes: `An id may be shortened to a unique prefix. Reasons of each decision:
${REASONS}
check examines files that add assets: schema, checksums, duplicates, look-alikes and logo. It exits with 3 if one must be changed.
purge expires requests without activity for 90 days, and deletes contacts 30 days after closing. Every snapshot does so too.`,
  run(values, [command = 'list', ...ids], output) {
    if (command !== 'check') return reviewed({ ...values, command, ids, output })
    if (ids.length === 0) throw new UsageError(`Name the files to check. ${seeHelp('registry')}`)
    return checkFiles(ids, values, output)
  },
})

async function reviewed(given: Arguments): Promise<number> {
  const now = runTime()
  const status = decisionOf(given.command)
  const queue = openQueue(given.queue)
  const published = publishedSlugs((file) => textAt(join(given.tree, file)))
  if (given.command === 'purge') return purge(queue, published, { now, output: given.output })
  const reviewed = reviewedRegistry(await settingsWith(), given.registry)
  const registry = openRegistry({ assets: reviewed.entries(), file: reviewed.folder })
  const waiting = (record: RequestRecord): Waiting => ({
    record,
    hints: hintsOf(record, published?.listed ?? [], registry, published?.formerOwner),
  })
  if (given.command === 'list') {
    const records = (await queue.list()).filter(({ status }) => given.all || !CLOSED.has(status)).toSorted(byAge)
    if (!published) printError(`${given.tree} holds no published tree, so hints only cover chains.`)
    given.output.result(records.map(waiting), () => listText(records.map(waiting), now))
    return EXIT.done
  }
  const record = await find(queue, given.ids)
  if (status === null) given.output.result(waiting(record), () => requestText(waiting(record)))
  else await decideOn(record, status, { given, queue, published, reviewed, now })
  return EXIT.done
}

interface Session {
  readonly given: Arguments
  readonly queue: Queue
  readonly published: PublishedSlugs | null
  readonly reviewed: ReviewedRegistry
  readonly now: number
}

async function decideOn(record: RequestRecord, status: RequestStatus, session: Session): Promise<void> {
  const isNew = status === 'approved' && record.body.request_type === 'new'
  const after = isNew ? await approveNew(record, session) : await decided(record, status, session)
  session.given.output.result(after, () =>
    after ? visible(`${record.request_id} is ${after.status}: ${after.reason ?? ''}`) : 'Nothing was written.',
  )
}

/** Records a decision that does not write the registry. */
async function decided(
  record: RequestRecord,
  status: RequestStatus,
  { given, queue, reviewed, now }: Session,
): Promise<RequestRecord | null> {
  const { request_type, slug } = record.body
  const isByHand = status === 'approved'
  if (isByHand)
    given.output.line(
      `Approving "${request_type}" does not change the registry. Edit its file in ${relative('.', reviewed.folder)} by hand.`,
    )
  const { reason: code, note } = given
  const decision = { status, code, note, ...(isByHand ? { listing: slug } : await repeated(given, queue)) }
  return queue.update(record.request_id, (current) => decide(current, decision, now))
}

async function approveNew(
  { request_id }: RequestRecord,
  { given, published, queue, reviewed, now }: Session,
): Promise<RequestRecord | null> {
  if (!published)
    throw new UsageError(`${given.tree} holds no published tree, so used slugs are unknown. Name the tree with --tree.`)
  const registry = folderRegistry(reviewed)
  const { verified: isVerified, reason: code, note } = given
  const wish = { isVerified, code, note, slug: slugIn('slug', given.slug), relist: slugIn('relist', given.relist) }
  // Nobody confirms what he cannot see.
  const show = given.yes ? given.output.line : print
  const confirm = async () => !given['dry-run'] && (given.yes || agreed(`Write it to ${registry.name}?`))
  return approve(request_id, wish, { queue, registry, published, now, show, confirm })
}

function slugIn(option: string, text: string | undefined): string | undefined {
  const slug = Slug.optional().safeParse(text)
  if (slug.success) return slug.data
  throw new UsageError(`--${option} takes a slug, such as grove-coin, not "${text}".`)
}

async function find(queue: Queue, ids: readonly string[]): Promise<RequestRecord> {
  const [id] = ids
  if (id === undefined || ids.length > 1) throw new UsageError(`Name one request by its id. ${seeHelp('registry')}`)
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

async function purge(
  queue: Queue,
  published: PublishedSlugs | null,
  { now, output }: { readonly now: number; readonly output: Output },
): Promise<number> {
  const changes = await applyDueChanges(queue, new Set(published?.listed.map(({ slug }) => slug)), now)
  const { listed, expired, purged, deleted } = changes
  output.result(
    changes,
    () => `${listed} listed, ${expired} expired, contacts of ${purged} and ${deleted} old ones deleted`,
  )
  return EXIT.done
}

const Slugged = z.looseObject({ slug: z.string() })

/** Checks files that add assets to the registry. Returns the exit code. */
async function checkFiles(
  files: readonly string[],
  { tree, comment }: Parsed<typeof OPTIONS>['values'],
  output: Output,
): Promise<number> {
  const missing = files.find((file) => !existsSync(file))
  if (missing !== undefined) throw new UsageError(`There is no file ${missing}.`)
  const { assets } = registryOf(await settingsWith())
  const entries = z.array(z.unknown()).parse(assets ?? openRegistry().assets)
  const published = publishedSlugs((file) => textAt(join(tree, file)))?.listed ?? []
  const findings = files.map((file) => found(file, entries, published))
  if (comment !== undefined) writeFileSync(comment, findingsMarkdown(findings))
  output.result(findings, () => visibleLines(findings.flatMap(linesOf)))
  return findings.some(({ faults }) => faults.length > 0) ? EXIT.refused : EXIT.done
}

/** Checks one file against the registry without it. */
function found(file: string, entries: readonly unknown[], published: PublishedSlugs['listed']): Findings {
  const own = basename(file, '.json')
  const others = entries.filter((entry) => Slugged.safeParse(entry).data?.slug !== own)
  const known = [...published, ...openRegistry({ assets: others }).assets]
  const logo = textAt(resolve(dirname(file), `${own}.svg`))
  return checkAsset({
    path: file,
    text: textAt(file) ?? '',
    logo,
    others,
    known: [...new Map(known.map((one) => [one.slug, one])).values()],
  })
}

const linesOf = ({ path, asset, faults, warnings }: Findings): string[] => [
  `${path}: ${asset ?? 'cannot be read'}`,
  ...faults.map((fault) => `  must be changed: ${fault}`),
  ...warnings.map((warning) => `  to look at: ${warning}`),
]
