import type { CollectorAnswer } from '../client/answers.ts'
import { WithCode } from './figures.tsx'
import { titled } from './format.ts'

/** The rules of the method with their numbers. */
export const Method = ({ methodology }: Pick<CollectorAnswer, 'methodology'>) => (
  <>
    <h1>Method</h1>
    <p class="lead">
      How identities and prices are decided, in version {methodology.version}, with all the numbers that the rules use.
    </p>
    {Object.entries(methodology.rules).map(([name, rule]) => (
      <section class="rule" aria-label={titled(name)}>
        <h2 id={name}>{titled(name)}</h2>
        <p>
          <WithCode text={rule} />
        </p>
      </section>
    ))}
    <section class="rule" aria-label="Numbers">
      <h2 id="numbers">Numbers</h2>
      <ul class="plain numbers">
        {Object.entries(methodology.constants).map(([name, value]) => (
          <li>
            <code>{name}</code> {value}
          </li>
        ))}
      </ul>
    </section>
  </>
)
