import { resolve } from 'node:path'
import { probedLines, reportText, verificationLines } from '../src/check/findings-text.ts'
import { HOST_KINDS, probe, siteAt } from '../src/check/probe.ts'
import { CHECKS, verify } from '../src/check/verify.ts'
import { Slug } from '../src/core/contract/words.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { isSite } from '../src/core/tree/remote.ts'
import { WITHOUT_QUEUE } from '../src/service/listing-requests.ts'
import { listen } from '../src/service/node.ts'
import { type Output, EXIT, UsageError, declare, flagOption, oneOf, text, textOr } from './command.ts'
import { ENGINE_VERSION } from './environment.ts'
import { siteComposition } from './pages.ts'
import { contextOf } from './serve.ts'
import { checkedFiles, publisherOf } from './tree-reader.ts'

export const command = declare({
  operands: '[<site>] [<slug>...]',
  options: {
    tree: textOr('dist', 'folder of a tree, or base URL of a site'),
    http: flagOption(
      'test the answers of the site against the contract instead of the documents: endpoints, headers, conditional ' +
        'requests, encodings, limits and errors; a folder is served during the test',
    ),
    host: text(`with --http: kind of host: ${HOST_KINDS.join(', ')}; full by default`),
  },
  notes:
    `Checks, in the order of the findings: ${CHECKS.map(({ check, covers }) => `${check} (${covers})`).join(', ')}.\n` +
    'A full host answers everything, assets all but a query of a file, static only the .json files.\n' +
    'With slugs, only those listings are compared. A finding names the check, the file and the member; ' +
    'each check names up to 1,000.\n' +
    'Exit codes: 0 nothing but notices was found, 2 invalid arguments, 3 errors were found.',
  async run({ tree: named, http, host }, operands, output) {
    const [first = ''] = operands
    const [tree, slugs] = isSite(first) ? [first, operands.slice(1)] : [named, operands]
    if (http && slugs.length === 0) return testAnswers(tree, host, output)
    if (host !== undefined) throw new UsageError('--host is for --http, which tests the answers of a site.')
    if (http) throw new UsageError('--http tests a site, not listings: leave out the slugs.')
    const wrong = slugs.find((slug) => !Slug.safeParse(slug).success)
    if (wrong !== undefined)
      throw new UsageError(`"${wrong}" is not a slug. Slugs consist of lower-case letters, digits and single dashes.`)
    const files = checkedFiles(tree)
    const verification = await verify(files, { slugs, compositionOf: siteComposition, program: ENGINE_VERSION })
    const { findings } = verification
    output.result(verification, () => reportText(findings, verificationLines(verification)))
    return findings.some(({ severity }) => severity !== 'notice') ? EXIT.refused : EXIT.done
  },
})

async function testAnswers(place: string, kind: string | undefined, output: Output): Promise<number> {
  const host = oneOf('host', HOST_KINDS, kind ?? 'full')
  const own = isSite(place)
    ? null
    : await listen({ ...contextOf(resolve(place)), intake: WITHOUT_QUEUE }, '127.0.0.1', 0)
  try {
    const site = siteAt(own?.url ?? place, fetch)
    // A site that cannot be reached fails in the test, with its reason.
    const index = await site(`/${LAYOUT.index}`).catch(() => null)
    const probed = await probe(site, publisherOf(index?.text ?? null).specs, host)
    output.result(probed, () => reportText(probed.findings, probedLines(probed)))
    return probed.findings.length === 0 ? EXIT.done : EXIT.refused
  } finally {
    await own?.close()
  }
}
