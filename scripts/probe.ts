import { contracts } from '../src/endpoints/table.ts'
import { probe, probeText } from '../src/probe/probe.ts'
import { HOST_KINDS, isHostKind, siteAt } from '../src/probe/site.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const HELP = `npm run probe -- <base_url> [--host ${HOST_KINDS.join('|')}] [--json]
Tests a live site against the contract: every endpoint, its files, headers, conditions, codings, limits, errors.

  --host             what kind of host it is: full answers everything (the default), rules all but limits without a
                     file, static the .json files alone; what such a host does not do is shown, and is no failure
  --json             print every finding as JSON`

await main(async () => {
  const { values, positionals } = parsed('probe', {
    allowPositionals: true,
    options: {
      host: { type: 'string', default: 'full' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return EXIT.done
  }
  const [base] = positionals
  if (base === undefined || !URL.canParse(base)) throw new UsageError(`name the address of a site\n\n${HELP}`)
  if (!isHostKind(values.host)) throw new UsageError(`--host takes ${HOST_KINDS.join(', ')}, not "${values.host}"`)
  const findings = await probe(siteAt(base, fetch), contracts, values.host).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  })
  const failed = findings.filter(({ outcome }) => outcome === 'failed').length
  if (values.json) console.log(JSON.stringify(findings, null, 2))
  else console.log(`${probeText(findings)}\n${findings.length} checks, ${failed} failed`)
  return failed === 0 ? EXIT.done : EXIT.refused
})
