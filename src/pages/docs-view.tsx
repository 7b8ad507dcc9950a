import { type ComponentChildren, type RenderableProps, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { API_FOLDER } from '../core/contract/prefix.ts'
import type { PublicationData } from '../core/endpoints/endpoint.ts'
import { Samples, samplesOf } from './api-samples.tsx'
import { WithCode } from './figures.tsx'
import { type Guide, guidesOf } from './guides.ts'
import { type EndpointReference, type ApiReference, type Schema, isPlain, typeOf } from './reference.ts'
import { useSite } from './site.tsx'

const Types = createContext<ApiReference['types']>({})

function Type({ schema }: { readonly schema: Schema }) {
  const types = useContext(Types)
  const parts = typeOf(schema, types).split(/\b([A-Z]\w+)/)
  return <span class="soft">{parts.map((part) => (part in types ? <a href={`#${part}`}>{part}</a> : part))}</span>
}

type Term = readonly [name: string, text?: string | undefined, about?: ComponentChildren, inner?: ComponentChildren]

const Terms = ({ terms }: { readonly terms: readonly Term[] }) =>
  terms.length === 0 ? null : (
    <dl class="members">
      {terms.map(([name, text = '', about, inner]) => [
        <dt>
          <code>{name}</code> {about}
        </dt>,
        <dd>
          <WithCode text={text} />
          {inner}
        </dd>,
      ])}
    </dl>
  )

const Members = ({ of = {} }: { readonly of: Schema['properties'] }) => (
  <Terms
    terms={Object.entries(of).map(([name, schema]) => [
      name,
      schema.description,
      <Type schema={schema} />,
      <Members of={(schema.items || schema).properties} />,
    ])}
  />
)

type PartProps = RenderableProps<{ readonly id: string; readonly text?: string | undefined }> &
  Partial<Record<'head' | 'code', ComponentChildren>>

const Part = ({ id, head, text = '', children, code }: PartProps) => (
  <section class="doc" id={id}>
    <div class="doc-prose">
      <h3>{head}</h3>
      <p>
        <WithCode text={text} />
      </p>
      {children}
    </div>
    {code && <div class="doc-code">{code}</div>}
  </section>
)

function EndpointCode({ operationId: id, method, path, example, takes, 'x-file': file }: EndpointReference) {
  const { address } = useSite()
  const post = `curl '${address}${path.slice(1)}' -H 'Content-Type: application/json' --data '${example?.replaceAll(/\s+/g, ' ')}'`
  return (
    <>
      {method === 'POST' && <Samples id={id} samples={[['curl', post]]} />}
      {file !== undefined && <Samples id={id} samples={samplesOf(address + file.slice(1))} />}
      {example !== null && takes === '' && (
        <pre class="output" tabindex={0} aria-label={`Answer of ${id}`}>
          {example}
        </pre>
      )}
      {file !== undefined && (
        <button type="button" class="button run" data-file={file.slice(1)}>
          Run
        </button>
      )}
    </>
  )
}

/** One endpoint: its parameters, the members of its answer and its errors, beside its code. */
function EndpointPart(endpoint: EndpointReference) {
  const { operationId, method, path, description, parameters, takes, members, errors, 'x-file': file } = endpoint
  const names = Object.keys(members)
  const head = [<code class="verb">{method}</code>, ' ', <code>{path}</code>]
  return (
    <Part id={operationId} head={head} text={description} code={<EndpointCode {...endpoint} />}>
      {file === undefined && method === 'GET' && <p class="soft">On hosts with a function.</p>}
      {parameters.length > 0 && <h4>Parameters</h4>}
      <Terms
        terms={parameters.map(({ name, description, schema: { default: usual } }) => [
          name,
          description,
          usual !== undefined && <span class="soft">{String(usual)} by default</span>,
        ])}
      />
      {takes !== '' && (
        <p>
          Takes <a href={`#${takes}`}>{takes}</a>.
        </p>
      )}
      {names.length > 0 && (
        <details>
          <summary>
            Members of the answer: <code>{names.slice(0, 4).join(', ')}</code>
            {names.length > 4 && ' …'}
          </summary>
          <Members of={members} />
        </details>
      )}
      {errors.length > 0 && (
        <p class="soft">
          Errors: <a href="#errors">{errors.join(', ')}</a>
        </p>
      )}
    </Part>
  )
}

const idOf = (name: string): string => `group-${name.toLowerCase()}`

const toEndpoint = ({ operationId, method, path }: EndpointReference) =>
  [`#${operationId}`, `${method === 'GET' ? '' : `${method} `}${path.replace(`/${API_FOLDER}`, '') || '/'}`] as const

/** The contents of the page, beside it; on a phone, above it. */
function Contents({ guides, groups }: Pick<ApiReference, 'groups'> & { readonly guides: readonly Guide[] }) {
  const chapters: readonly (readonly [id: string, name: string, links: readonly (readonly [string, string])[]])[] = [
    [
      'start',
      'Start',
      [...guides.map(({ id, name }) => [`#${id}`, name] as const), ['../method/', 'How a price is made']],
    ],
    ...groups.map(({ name, endpoints }) => [idOf(name), name, endpoints.map(toEndpoint)] as const),
    ['envelope', 'Every answer', []],
    ['errors', 'Errors', []],
    ['types', 'Types', []],
  ]
  return (
    <div class="contents">
      <input id="contents" type="checkbox" class="hidden" />
      <label for="contents" class="button">
        Contents
      </label>
      <nav aria-label="Contents">
        {chapters.map(([id, name, links]) => [
          <a href={`#${id}`}>{name}</a>,
          links.length > 0 && (
            <ul class="plain">
              {links.map(([to, text]) => (
                <li>
                  <a href={to}>{text}</a>
                </li>
              ))}
            </ul>
          ),
        ])}
      </nav>
    </div>
  )
}

export function Docs({ world, reference }: { readonly world: PublicationData; readonly reference: ApiReference }) {
  const { root, address } = useSite()
  const guides = guidesOf(world, address)
  return (
    <Types.Provider value={reference.types}>
      <div id="docs" class="docs">
        <Contents guides={guides} groups={reference.groups} />
        <div class="content">
          <h1 id="start">API documentation</h1>
          <p class="lead">
            Every answer is a file below this address. No key, no limit for reading, CORS for every site. Unknown is{' '}
            <code>null</code>. <a href={`${root}openapi.json`}>OpenAPI 3.1</a>, <a href={`${root}llms.txt`}>llms.txt</a>
            .
          </p>
          <pre class="sample output" tabindex={0}>
            {address + API_FOLDER}
          </pre>
          <h2>Guides</h2>
          {guides.map(({ id, name, text, samples }) => (
            <Part id={id} head={name} text={text} code={<Samples id={id} samples={samples} />} />
          ))}
          {reference.groups.map(({ name, description, endpoints }) => [
            <h2 id={idOf(name)}>{name}</h2>,
            <p class="soft">{description}</p>,
            ...endpoints.map(EndpointPart),
          ])}
          <h2 id="envelope">Every answer</h2>
          <p class="soft">Every JSON answer begins with these members.</p>
          <Members of={reference.envelope} />
          <h2 id="errors">Errors</h2>
          <p class="soft">Every error has one of these statuses, and a body that says what to do.</p>
          <Terms terms={reference.refusals} />
          <h2 id="types">Types</h2>
          {Object.entries(reference.types).map(([name, schema]) =>
            isPlain(schema) ? null : (
              <Part
                id={name}
                head={[<code>{name}</code>, schema.enum && <Type schema={schema} />]}
                text={schema.description}
              >
                <details>
                  <summary>Members</summary>
                  <Members of={schema.properties} />
                </details>
              </Part>
            ),
          )}
        </div>
      </div>
    </Types.Provider>
  )
}
