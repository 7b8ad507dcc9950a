import type { PublicationData } from '../core/endpoints/endpoint.ts'
import { WithCode } from './figures.tsx'
import { titled } from './format.ts'
import examples from './method-examples.json' with { type: 'json' }

const EXAMPLES: Readonly<Record<string, string>> = examples

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
