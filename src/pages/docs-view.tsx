import { API_FOLDER } from '../contract/prefix.ts'
import { WithCode } from './figures.tsx'
import { GUIDES, SITE_PLACEHOLDER, type Sample } from './guides.ts'
import { CopyButton } from './marks.tsx'
import { type Group, type Member, type Operation, groupsOf, membersOf } from './reference.ts'
import { useSite } from './site.tsx'

interface SampleTabsProps {
  readonly id: string
  readonly samples: readonly Sample[]
}

/** One sample of several, chosen by its language. The choice needs no script. */
const SampleTabs = ({ id, samples }: SampleTabsProps) => (
  <div class="sample-tabs">
    {samples.map(([language], at) => (
      <>
        <input
          type="radio"
          class="hidden"
          name={`sample-${id}`}
          id={`sample-${id}-${at}`}
          defaultChecked={at === 0}
          aria-label={language}
        />
        <label for={`sample-${id}-${at}`} aria-hidden="true">
          {language}
        </label>
      </>
    ))}
    {samples.map(([language, text]) => (
      <div>
        <pre class="output sample" tabindex={0}>
          {text}
        </pre>
        <CopyButton label={`Copy the example for ${language}`} />
      </div>
    ))}
  </div>
)

/** Returns a request for an address in the languages that most readers use. */
const requestSamples = (url: string): readonly Sample[] => [
  ['curl', `curl '${url}'`],
  ['JavaScript', `const answer = await fetch('${url}')\nconsole.log(await answer.json())`],
  [
    'Python',
    `import json, urllib.request\nwith urllib.request.urlopen('${url}') as answer:\n    print(json.load(answer))`,
  ],
]

/** What an operation takes, and the file and the method of the client that answer it. */
function Block({ operation }: { readonly operation: Operation }) {
  const { root } = useSite()
  const { id, method, path, description, parameters, file, answer } = operation
  return (
    <details class="endpoint" id={id}>
      <summary>
        <span class="verb" data-method={method}>
          {method}
        </span>
        <code>{path}</code>
        <span class="soft">
          <WithCode text={description} />
        </span>
      </summary>
      <div>
        <dl class="members">
          {parameters.map(({ name, description, usual }) => (
            <>
              <dt>
                <code>{name}</code>
                {usual !== '' && <span class="soft"> {usual} by default</span>}
              </dt>
              <dd>
                <WithCode text={description} />
              </dd>
            </>
          ))}
        </dl>
        {method === 'GET' && answer !== undefined && (
          <p class="soft">
            {file !== '' && (
              <>
                File:{' '}
                <a href={root + file.slice(1)}>
                  <code>{file}</code>
                </a>
                .{' '}
              </>
            )}
            Client: <code>{`client.${id}()`}</code>.
          </p>
        )}
        <div class="answer" />
      </div>
    </details>
  )
}

const Members = ({ members }: { readonly members: readonly Member[] }) => (
  <dl class="members">
    {members.map(({ name, type, description, inner }) => (
      <>
        <dt>
          <code>{name}</code> <span class="soft">{type}</span>
        </dt>
        <dd>
          <WithCode text={description} />
          {inner.length > 0 && (
            <details>
              <summary>Members</summary>
              <Members members={inner} />
            </details>
          )}
        </dd>
      </>
    ))}
  </dl>
)

/** Maximum number of characters shown of an example. */
const MOST_SHOWN = 6000

interface AnswerProps {
  /** An OpenAPI description, and one of its operations. */
  readonly document: unknown
  readonly operation: Operation
  readonly site: string
}

/** What an opened endpoint shows besides its parameters: commands, an example of its answer, its answers and their members. */
export function Answer({ document, operation: { id, file, example, statuses, answer }, site }: AnswerProps) {
  const members = answer === undefined ? [] : membersOf(document, answer)
  return (
    <>
      {file !== '' && <SampleTabs id={id} samples={requestSamples(new URL(file.slice(1), site).href)} />}
      {example !== null && (
        <details>
          <summary>Example, without unknown members</summary>
          <pre class="output" tabindex={0}>
            {example.slice(0, MOST_SHOWN)}
          </pre>
        </details>
      )}
      <h3>Answers</h3>
      <ul class="plain">
        {statuses.map(([status, meaning]) => (
          <li>
            <strong>{status}</strong> <WithCode text={meaning} />
          </li>
        ))}
      </ul>
      {members.length > 0 && (
        <>
          <h3>Members</h3>
          <Members members={members} />
        </>
      )}
    </>
  )
}

const idOf = (name: string): string => `group-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`

/** The contents of the page, beside it. */
const Contents = ({ groups }: { readonly groups: readonly Group[] }) => (
  <nav class="contents" aria-label="Endpoints">
    <input id="docs-search" type="search" placeholder="Find an endpoint" aria-label="Find an endpoint" />
    {GUIDES.map(({ id, name }) => (
      <a href={`#${id}`}>{name}</a>
    ))}
    {groups.map(({ name, operations }) => (
      <>
        <a href={`#${idOf(name)}`}>{name}</a>
        <ul class="plain">
          {operations.map(({ id, path }) => (
            <li>
              <a href={`#${id}`}>{path.replace(/^\/api\/mkt(?=.)/, '')}</a>
            </li>
          ))}
        </ul>
      </>
    ))}
  </nav>
)

interface DocsProps {
  /** An OpenAPI description. */
  readonly document: unknown
  /** Address of the site, with a slash at the end. */
  readonly site: string
}

/** Guides, and the reference of an OpenAPI description with the endpoints closed. */
export function Docs({ document, site }: DocsProps) {
  const { root } = useSite()
  const base = site + API_FOLDER
  const groups = groupsOf(document)
  return (
    <>
      <h1>API reference</h1>
      <div id="docs" class="reference">
        <Contents groups={groups} />
        <div class="content">
          <p class="lead">
            Every answer is computed in advance and published as a file below this address:
            <code class="sample">{base}</code>
            No key, no limit for reading, CORS everywhere. Unknown is null.{' '}
            <a href={`${root}openapi.json`}>OpenAPI 3.1</a>, <a href={`${root}llms.txt`}>llms.txt</a>.
          </p>
          <p class="lead">
            For JavaScript there is a typed client without dependencies, <code>quotetree-client</code>, which also
            converts, selects and watches prices: <code>npm run pack</code> in the project packs it.
          </p>
          {GUIDES.map(({ id, name, text, samples }) => (
            <section aria-label={name}>
              <h2 id={id}>{name}</h2>
              <p class="soft">
                <WithCode text={text} />
              </p>
              <SampleTabs
                id={id}
                samples={samples.map(([name, text]) => [name, text.replaceAll(SITE_PLACEHOLDER, site)])}
              />
            </section>
          ))}
          {groups.map(({ name, description, operations }) => (
            <>
              <h2 id={idOf(name)}>{name}</h2>
              <p class="soft">{description}</p>
              {operations.map((operation) => (
                <Block operation={operation} />
              ))}
            </>
          ))}
        </div>
      </div>
    </>
  )
}
