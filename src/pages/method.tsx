import type { PublicationData } from '../core/endpoints/endpoint.ts'
import { WithCode } from './figures.tsx'
import { titled } from './format.ts'

const EXAMPLES: Readonly<Record<string, string>> = {
  price:
    'Five venues say $100.0, $100.1, $100.2, $100.2 and $140. Four agree within 2%, so they are the majority, and the price is the mean of the middle fifth of their weight: about $100.15. The fifth venue is an outlier.',
  confidence: 'Four of five live witnesses agree: (1 − 1/4) × 4/5 = 60%.',
  eligible: 'A market with a spread of 12% or a volume of $80 has no part in the price, whatever it says.',
  jumps:
    'A coin goes from $1.00 to $2.30 in one run, at one venue. $1.00 stays published, with a notice, for six hours, or until three witnesses show the new price.',
  audit: 'One venue is 1.4% above the others on more than twenty of its coins. None of its prices is used in this run.',
  rates: 'Three venues trade EUR/USDT at 1.081, 1.082 and 1.082: the euro is worth 1.082 dollars.',
  identity:
    'A venue lists ABC at $2.01. Of two coins with that symbol, one is worth $2.00 and one $0.03: it is the first.',
  supply: 'One aggregator says 19.8M coins, a second 19.9M. The second confirms the first within 10%, so 19.8M counts.',
  age: 'A venue falls silent at noon. Its last price stays until it is too old, is marked as carried, and then becomes null.',
  change:
    'Yesterday at this hour $50, now $55: +10.00%. Until there is a yesterday, the middle of what aggregators and venues report.',
  rank: 'A market cap of $2B that one aggregator alone reports gives no rank.',
}

export const MethodPage = ({ run: { methodology } }: PublicationData) => (
  <>
    <h1>Method</h1>
    <p class="lead">
      How identities and prices are decided, in version {methodology.version}. <code>npm run verify</code> computes
      every published price again by these rules.
    </p>
    <ol class="rules">
      {Object.entries(methodology.rules).map(([name, rule]) => (
        <li class="rule">
          <h2 id={name}>{titled(name)}</h2>
          <p>
            <WithCode text={rule} />
          </p>
          {EXAMPLES[name] !== undefined && (
            <p class="example">
              <strong>Example.</strong> {EXAMPLES[name]}
            </p>
          )}
        </li>
      ))}
    </ol>
    <h2 id="numbers">Numbers</h2>
    <ul class="plain numbers">
      {Object.entries(methodology.constants).map(([name, value]) => (
        <li>
          <code>{name}</code> {value}
        </li>
      ))}
    </ul>
  </>
)
