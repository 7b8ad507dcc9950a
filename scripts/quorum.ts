import { TOLERANCE_BP } from '../src/contract/quorum.ts'
import { visibleLines } from '../src/contract/visible.ts'
import { type Quorum, quorumOf } from '../src/check/quorum.ts'
import { printError } from './terminal.ts'
import { treeReader } from './tree-reader.ts'
import { declare, seeHelp } from './command.ts'
import { EXIT, UsageError, wholeNumber } from './usage.ts'

/** Lines that are printed. */
const SHOWN = 50

export const command = declare({
  operands: '<site>...',
  options: {
    'tolerance-bp': {
      type: 'string',
      about: `largest difference in basis points that still agrees, ${TOLERANCE_BP} by default`,
    },
  },
  notes: 'A site is a URL or a folder. Exits with 3 if anyone deviates.',
  async run(values, positionals, output) {
    if (positionals.length < 2) throw new UsageError(`Name at least two sites. ${seeHelp('quorum')}`)
    const toleranceBp = wholeNumber('tolerance-bp', values['tolerance-bp']) ?? TOLERANCE_BP
    const publishers = await Promise.all(positionals.map(async (name) => ({ name, read: await treeReader(name) })))
    const quorum = await quorumOf(publishers, toleranceBp)
    const { answered, failures, compared, deviations } = quorum
    output.result(
      { answered: Object.fromEntries(answered), failures: Object.fromEntries(failures), compared, deviations },
      () => visibleLines(linesOf(quorum, toleranceBp)),
    )
    if (answered.size >= 2) return deviations.length > 0 ? EXIT.refused : EXIT.done
    printError('Fewer than two publishers answered, so nothing was compared.')
    return EXIT.no_source
  },
})

function linesOf({ answered, failures, compared, deviations, alone }: Quorum, toleranceBp: number): string[] {
  const rest = deviations.length - SHOWN
  return [
    ...[...answered].map(
      ([name, at]) => `${name}: data of ${at}, ${alone.get(name) ?? 0} listings that nobody else prices`,
    ),
    ...[...failures].map(([name, why]) => `${name}: no answer: ${why}`),
    ...deviations
      .slice(0, SHOWN)
      .map(
        ({ slug, publisher, price, median, bp }) =>
          `  ${slug}: ${publisher} has ${price}, the median is ${median}: ${bp.toFixed(1)} bp`,
      ),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `${compared} prices compared, ${new Set(deviations.map(({ slug }) => slug)).size} differ by more than ${toleranceBp} bp`,
  ]
}
