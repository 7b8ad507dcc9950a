import { resolve } from 'node:path'
import { probedLines, reportText } from '../src/check/findings-text.ts'
import { probe, HOST_KINDS, type HostKind, siteAt } from '../src/check/probe.ts'
import { listen } from '../src/service/node.ts'
import { intakeOf } from '../src/service/intake.ts'
import type { Output } from './command.ts'
import { publisherIn } from '../src/endpoints/ecosystem.ts'
import { endpointsOf } from '../src/endpoints/table.ts'
import { LAYOUT } from '../src/tree/layout.ts'
import { isSite } from '../src/tree/remote.ts'
import { contextOf } from './serve.ts'
import { EXIT, UsageError, oneOf } from './usage.ts'

/**
 * Tests a site, or the tree in a folder, which is served during the test, against the contract. Returns the exit code.
 *
 * @param kind kind of host: what it need not answer
 */
export async function testAnswers(place: string, kind: string, output: Output): Promise<number> {
  const host = oneOf('host', HOST_KINDS, kind)
  if (isSite(place)) return tested(place, host, output)
  const server = await served(place)
  try {
    return await tested(server.url, host, output)
  } finally {
    await server.close()
  }
}

async function tested(base: string, host: HostKind, output: Output): Promise<number> {
  const site = siteAt(base, fetch)
  // A site that cannot be reached fails in the test, with its reason.
  const index = await site(`/${LAYOUT.index}`).catch(() => null)
  const { specs } = endpointsOf(publisherIn(index?.text ?? null).ecosystem)
  const probed = await probe(site, specs, host).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  })
  output.result(probed, () => reportText(probed.findings, probedLines(probed)))
  return probed.findings.length === 0 ? EXIT.done : EXIT.refused
}

/** Serves a tree on a free port, without listing requests. */
const served = (tree: string) => listen({ ...contextOf(resolve(tree)), intake: intakeOf(null) }, '127.0.0.1', 0)
