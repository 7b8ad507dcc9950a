import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { suggestion } from '../src/config/nearest.ts'
import { fileOf } from '../src/core/contract/endpoint-spec.ts'
import { isRecord } from '../src/core/contract/read-json.ts'
import { visible, visibleLines } from '../src/core/contract/visible.ts'
import { markets } from '../src/core/endpoints/lists.ts'
import { openRegistry } from '../src/core/registry/registry.ts'
import { textAt } from '../src/core/tree/reader.ts'
import { accept } from '../src/requests/accept.ts'
import { type PublishedListing, listingsIn } from '../src/requests/duplicates.ts'
import { type Findings, checkAsset } from '../src/requests/proposed-asset.ts'
import { type Queue, type RequestRecord, byAge, decide, isOpen } from '../src/requests/queue.ts'
import { type Flags, type Output, EXIT, TREE, UsageError, declare, flagOption, seeHelp, text } from './command.ts'
import { runTime } from './environment.ts'
import { QUEUE, openQueue } from './open-queue.ts'
import { registryOf, reviewedFolder, settingsWith } from './settings.ts'
import { say } from './terminal.ts'

const ACTIONS = ['list', 'show', 'accept', 'reject', 'needs-info', 'check'] as const

const OPTIONS = {
  all: flagOption('list: decided requests too'),
  reason: text('public text of the decision; accept has a usual one'),
  yes: flagOption('accept: write the registry file without confirmation'),
  queue: QUEUE,
  tree: TREE,
} as const

type Options = Flags<typeof OPTIONS>

export const command = declare({
  operands: '[list|show <id>|accept <id>|reject <id>|needs-info <id>|check <file>...]',
  options: OPTIONS,
  notes: `An id may be shortened to a unique prefix.
check examines files that add assets: schema, checksums, duplicates and logo. It exits with 3 if one must be changed.`,
  async run(values, [name = 'list', ...operands], output) {
    const action = ACTIONS.find((one) => one === name)
    if (action === undefined)
      throw new UsageError(`There is no command "registry ${name}". ${suggestion(name, ACTIONS)}`)
    if (action === 'check') return checkFiles(operands, values, output)
    const queue = openQueue(values.queue)
    if (action === 'list') {
      const records = (await queue.list()).filter((record) => values.all || isOpen(record)).toSorted(byAge)
      output.result(records, () => (records.length === 0 ? 'No open requests.' : visibleLines(records.flatMap(inList))))
      return EXIT.done
    }
    const record = await find(queue, operands)
    if (action === 'show') output.result(record, () => visibleLines(membersOf(record)))
    else {
      const after = await decided(record, action, values, { queue, output })
      output.result(after, () =>
        after ? visible(`${after.request_id} is ${after.status}: ${after.reason ?? ''}`) : 'Nothing was written.',
      )
    }
    return EXIT.done
  },
})

const inList = ({ request_id, submitted_at, status, body, duplicate_of }: RequestRecord): string[] => [
  [request_id, submitted_at.slice(0, 10), status.padEnd(10), body.request_type, body.slug, body.symbol, body.name]
    .filter((part) => part !== undefined)
    .join('  '),
  ...(duplicate_of === null ? [] : [`    ! Duplicate of ${duplicate_of}.`]),
]

const membersOf = ({ sender: _, body, ...facts }: RequestRecord): string[] =>
  Object.entries({ ...facts, ...body }).map(
    ([name, value]: [string, unknown]) =>
      `${name.padEnd(16)} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )

const STATUSES = { accept: 'accepted', reject: 'rejected', 'needs-info': 'needs_info' } as const

async function decided(
  record: RequestRecord,
  action: keyof typeof STATUSES,
  { reason, tree, yes }: Options,
  { queue, output }: { readonly queue: Queue; readonly output: Output },
): Promise<RequestRecord | null> {
  const now = runTime()
  const read = (file: string) => textAt(join(tree, file))
  const settings = await settingsWith()
  const folder = reviewedFolder(settings)
  if (action === 'accept' && record.body.request_type === 'new') {
    if (read(fileOf(markets, {})) === null)
      throw new UsageError(`${tree} holds no published tree, so used slugs are unknown. Name the tree with --tree.`)
    const entries = () => registryOf(settings).assets
    // No one can confirm what is not visible.
    const confirm = async (shown: string) => {
      if (yes) output.line(shown)
      else say(shown)
      return yes || agreed(`Write it to ${relative('.', folder)}?`)
    }
    return accept(record, { queue, folder, entries, read, now, reason, confirm })
  }
  if (action !== 'accept' && reason === undefined)
    throw new UsageError(`${action} needs a text for the requester, which is public. Add --reason "…".`)
  if (action === 'accept') output.line(`Change the file of ${record.body.slug} in ${relative('.', folder)} by hand.`)
  const text = reason ?? 'It will be done.'
  return queue.update(record.request_id, (current) => decide(current, STATUSES[action], text, now))
}

async function find(queue: Queue, ids: readonly string[]): Promise<RequestRecord> {
  const [id] = ids
  if (id === undefined || ids.length > 1) throw new UsageError(`Name one request by its id. ${seeHelp('registry')}`)
  const [record, ...others] = (await queue.list()).filter(({ request_id }) => request_id.startsWith(id))
  if (!record) throw new UsageError(`There is no request ${id}.`)
  if (others.length === 0) return record
  throw new UsageError(`${others.length + 1} requests begin with ${id}. Give more of the id.`)
}

async function agreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError('Cannot ask for confirmation without a terminal. Add --yes to write the entry.')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

async function checkFiles(files: readonly string[], { tree }: Options, output: Output): Promise<number> {
  if (files.length === 0) throw new UsageError(`Name the files to check. ${seeHelp('registry')}`)
  const missing = files.find((file) => !existsSync(file))
  if (missing !== undefined) throw new UsageError(`There is no file ${missing}.`)
  const { assets } = registryOf(await settingsWith())
  const published = await listingsIn((file) => textAt(join(tree, file)))
  const findings = files.map((file) => found(file, assets, published))
  output.result(findings, () => visibleLines(findings.flatMap(linesOf)))
  return findings.some(({ faults }) => faults.length > 0) ? EXIT.refused : EXIT.done
}

function found(file: string, entries: readonly unknown[], published: readonly PublishedListing[]): Findings {
  const own = basename(file, '.json')
  const others = entries.filter((entry) => !isRecord(entry) || entry['slug'] !== own)
  const known = [...published, ...openRegistry({ assets: others }).assets]
  return checkAsset({
    path: file,
    text: textAt(file) ?? '',
    logo: textAt(resolve(dirname(file), `${own}.svg`)),
    others,
    known: [...new Map(known.map((one) => [one.slug, one])).values()],
  })
}

const linesOf = ({ path, asset, faults, warnings }: Findings): string[] => [
  `${path}: ${asset ?? 'cannot be read'}`,
  ...faults.map((fault) => `  must be changed: ${fault}`),
  ...warnings.map((warning) => `  to look at: ${warning}`),
]
