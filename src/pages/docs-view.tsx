import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { API_FOLDER } from '../contract/prefix.ts'
import { WithCode } from './figures.tsx'
import type { Guide, Sample } from './guides.ts'
import { CopyButton } from './marks.tsx'
import { type Endpoint, type Reference, type Schema, isPlain, typeOf } from './reference.ts'
import { useSite } from './site.tsx'

const Command = ({ text, label }: Readonly<Record<'text' | 'label', string>>) => (
  <div class="command">
    <pre class="output sample" tabindex={0}>
      {text}
    </pre>
    <CopyButton label={label} />
  </div>
)

interface SampleTabsProps {
  readonly id: string
  readonly samples: readonly Sample[]
}

/** One sample of several, chosen by its language. The choice needs no script. */
const SampleTabs = ({ id, samples }: SampleTabsProps) => (
  <div class="sample-tabs">
    {samples.map(([language, text], at) => (
      <>
        <input
          type="radio"
          class="hidden"
          name={`sample-${id}`}
          id={`sample-${id}-${at}`}
          value={language}
          defaultChecked={at === 0}
        />
        <label for={`sample-${id}-${at}`}>{language}</label>
        <Command text={text} label={`Copy the example for ${language}`} />
      </>
    ))}
  </div>
)

/** Returns the command for an endpoint that works on every host; empty if only a host with a function has it. */
function commandOf({ path, method, example, 'x-file': file = path }: Endpoint, site: string): string {
  const data =
    method === 'POST' ? ` -H 'Content-Type: application/json' --data '${example?.replaceAll(/\s+/g, ' ')}'` : ''
  return file.includes('{') ? '' : `curl '${site}${file.slice(1)}'${data}`
}

/** The schemas that types name. */
const Types = createContext<Reference['types']>({})

/** A type, with a link to each one that has a name. */
const Type = ({ schema }: { readonly schema: Schema }) => (
  <span class="soft">
    {typeOf(schema, useContext(Types))
      .split(/\b([A-Z]\w+)/)
      .map((part, at) => (at % 2 === 1 ? <a href={`#${part}`}>{part}</a> : part))}
  </span>
)

interface TermsProps {
  readonly terms: readonly (readonly [
    name: string,
    text: string,
    about?: ComponentChildren,
    inner?: ComponentChildren,
  ])[]
}

/** Names with what they mean. */
const Terms = ({ terms }: TermsProps) =>
  terms.length === 0 ? null : (
    <dl class="members">
      {terms.map(([name, text, about, inner]) => (
        <>
          <dt>
            <code>{name}</code> {about}
          </dt>
          <dd>
            <WithCode text={text} />
            {inner}
          </dd>
        </>
      ))}
    </dl>
  )

const Members = ({ members }: { readonly members: Schema['properties'] }) => (
  <Terms
    terms={Object.entries(members).map(([name, schema]) => [
      name,
      schema.description,
      <Type schema={schema} />,
      <Members members={(schema.items || schema).properties} />,
    ])}
  />
)

/** Lines that are shown of an example. */
const MOST_LINES = 12

interface EntryProps {
  readonly id: string
  readonly head: ComponentChildren
  readonly text: string
  readonly children: ComponentChildren
}

/** An endpoint or a type, which opens. */
const Entry = ({ id, head, text, children }: EntryProps) => (
  <details class="endpoint" id={id}>
    <summary>
      {head}
      <span class="soft">
        <WithCode text={text} />
      </span>
    </summary>
    <div>{children}</div>
  </details>
)

/** One endpoint: its parameters, commands, an example and the members of its answer. */
function Block({ endpoint, site }: { readonly endpoint: Endpoint; readonly site: string }) {
  const { operationId: id, method, path, description, parameters, takes, example, members, 'x-file': file } = endpoint
  const { root } = useSite()
  const command = commandOf(endpoint, site)
  const lines = example?.split('\n') ?? []
  const head = (
    <>
      <span class="verb" data-method={method}>
        {method}
      </span>
      <code>{path}</code>
    </>
  )
  return (
    <Entry id={id} head={head} text={description}>
      {parameters.length > 0 && <h3>Parameters</h3>}
      <Terms
        terms={parameters.map(({ name, description, schema: { default: usual } }) => [
          name,
          description,
          usual !== undefined && <span class="soft">{String(usual)} by default</span>,
        ])}
      />
      {command !== '' && <Command text={command} label="Copy the command" />}
      <p class="soft">
        {takes !== '' && (
          <>
            Takes <a href={`#${takes}`}>{takes}</a>.
          </>
        )}
        {file !== undefined && (
          <>
            File: <a href={root + file.slice(1)}>{file}</a>. Client: <code>{`client.${id}`}</code>.
          </>
        )}
        {command === '' && 'On hosts with a function.'}
      </p>
      {example !== null && takes === '' && (
        <>
          <h3>Example, without unknown members</h3>
          <pre class="output" tabindex={0}>
            {[...lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? ['…'] : [])].join('\n')}
          </pre>
        </>
      )}
      {Object.keys(members).length > 0 && <h3>Members</h3>}
      <Members members={members} />
    </Entry>
  )
}

const idOf = (name: string): string => `group-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`

interface DocsProps {
  readonly guides: readonly Guide[]
  readonly reference: Reference
  /** Address of the site, with a slash at the end. */
  readonly site: string
}

/** The contents of the page, beside it. */
const Contents = ({ guides, reference: { groups } }: DocsProps) => (
  <nav class="contents" aria-label="Contents">
    <input
      id="docs-search"
      type="search"
      placeholder="Find in this page"
      aria-label="Find guides, endpoints and members"
    />
    {guides.map(({ id, name }) => (
      <a href={`#${id}`}>{name}</a>
    ))}
    {groups.map(({ name, endpoints }) => (
      <>
        <a href={`#${idOf(name)}`}>{name}</a>
        <ul class="plain">
          {endpoints.map(({ operationId, method, path }) => (
            <li>
              <a href={`#${operationId}`}>
                {method === 'GET' ? '' : `${method} `}
                {path.replace(/^\/api\/mkt(?=.)/, '')}
              </a>
            </li>
          ))}
        </ul>
      </>
    ))}
    <a href="#envelope">Every answer</a>
    <a href="#refusals">Errors</a>
    <a href="#types">Types</a>
  </nav>
)

interface SectionProps {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly children: ComponentChildren
}

const Section = ({ id, name, text, children }: SectionProps) => (
  <section aria-label={name}>
    <h2 id={id}>{name}</h2>
    <p class="soft">
      <WithCode text={text} />
    </p>
    {children}
  </section>
)

/** Guides, and the reference of the API with the endpoints closed. */
export function Docs({ guides, reference, site }: DocsProps) {
  const { root } = useSite()
  return (
    <Types.Provider value={reference.types}>
      <h1>API documentation</h1>
      <div id="docs" class="reference">
        <Contents guides={guides} reference={reference} site={site} />
        <div class="content">
          <p class="lead">
            Every answer is computed in advance and published as a file below this address:
            <code class="sample">{site + API_FOLDER}</code>
            No key, no limit for reading, CORS everywhere. Unknown is null.{' '}
            <a href={`${root}openapi.json`}>OpenAPI 3.1</a>, <a href={`${root}llms.txt`}>llms.txt</a>.
          </p>
          <p class="lead">
            For JavaScript there is a typed client without dependencies, <code>quotetree-client</code>, which also
            converts, selects and watches prices: <code>npm run pack</code> in the project packs it.
          </p>
          <p id="docs-none" class="empty" hidden>
            Nothing matches these words. The search covers guides, endpoints and names of members.
          </p>
          {guides.map(({ id, name, text, samples }) => (
            <Section id={id} name={name} text={text}>
              <SampleTabs id={id} samples={samples} />
            </Section>
          ))}
          {reference.groups.map(({ name, description, endpoints }) => (
            <Section id={idOf(name)} name={name} text={description}>
              {endpoints.map((endpoint) => (
                <Block endpoint={endpoint} site={site} />
              ))}
            </Section>
          ))}
          <Section id="envelope" name="Every answer" text="Every JSON answer begins with these members.">
            <Members members={reference.envelope} />
          </Section>
          <Section id="refusals" name="Errors" text="Every error has one of these statuses.">
            <Terms terms={reference.refusals} />
          </Section>
          <Section id="types" name="Types" text="Values that answers share.">
            {Object.entries(reference.types).map(([name, schema]) =>
              isPlain(schema) ? null : (
                <Entry
                  id={name}
                  head={[<code>{name}</code>, schema.enum.length > 0 && <Type schema={schema} />]}
                  text={schema.description}
                >
                  <Members members={schema.properties} />
                </Entry>
              ),
            )}
          </Section>
        </div>
      </div>
    </Types.Provider>
  )
}
