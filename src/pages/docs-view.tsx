import { API_FOLDER } from '../contract/prefix.ts'
import { BADGES } from '../contract/site-files.ts'
import { WithCode } from './figures.tsx'
import { CopyButton } from './marks.tsx'
import { type Group, type Operation, groupsOf } from './reference.ts'
import { useSite } from './site.tsx'

/** Stands for the address of the site in a document that does not know its own; the script fills it in. */
export const SITE_PLACEHOLDER = 'https://your-site.example/'

/** What an operation takes, before it is opened: without a form to try it. */
const ParameterList = ({ parameters }: Operation) =>
  parameters.length === 0 ? null : (
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
  )

/** The file of an answer, and the method of the client. */
export function Sources({ id, file, method, answer }: Operation) {
  const { root } = useSite()
  return method !== 'GET' || answer === undefined ? null : (
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
  )
}

/** The same thing in several languages. */
export type Samples = readonly (readonly [language: string, text: string])[]

interface SampleTabsProps {
  readonly id: string
  readonly samples: Samples
}

/** One sample of several, chosen by its language. The choice needs no script. */
export const SampleTabs = ({ id, samples }: SampleTabsProps) => (
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
        <CopyButton text={text} label={`Copy the example for ${language}`} />
      </div>
    ))}
  </div>
)

/** Returns a request for an address in the languages that most readers use. */
export const requestSamples = (url: string): Samples => [
  ['curl', `curl '${url}'`],
  ['JavaScript', `const answer = await fetch('${url}')\nconsole.log(await answer.json())`],
  [
    'Python',
    `import json, urllib.request\nwith urllib.request.urlopen('${url}') as answer:\n    print(json.load(answer))`,
  ],
]

const Block = ({ operation }: { readonly operation: Operation }) => (
  <details class="endpoint" id={operation.id}>
    <summary>
      <span class="verb" data-method={operation.method}>
        {operation.method}
      </span>
      <code>{operation.path}</code>
      <span class="soft">
        <WithCode text={operation.description} />
      </span>
    </summary>
    <div>
      <ParameterList {...operation} />
      <Sources {...operation} />
    </div>
  </details>
)

/** The first request, for people of several tools. */
const quickstart = (base: string): Samples => [
  ['curl', `curl '${base}/prices.json'`],
  [
    'JavaScript',
    `const answer = await fetch('${base}/prices.json')\nconst { prices } = await answer.json()\nconsole.log(prices.bitcoin)`,
  ],
  [
    'Python',
    `import json, urllib.request\nwith urllib.request.urlopen('${base}/prices.json') as answer:\n    print(json.load(answer)['prices']['bitcoin'])`,
  ],
  ['Spreadsheet', `=IMPORTDATA("${base}/assets.csv")`],
]

/** A listing whose badge and price the reference shows. */
interface Embedded {
  readonly slug: string
  readonly name: string
}

const EMBEDS = 'Badges and embeds'

/** How other pages show a price: an image that needs no script, and elements of one's own. */
function Embeds({ site, of: { slug, name } }: { readonly site: string; readonly of: Embedded }) {
  const { root } = useSite()
  const badge = `${BADGES.folder}/${slug}.svg`
  return (
    <section aria-label={EMBEDS}>
      <h2 id="embeds">{EMBEDS}</h2>
      <p class="soft">
        Badges are images of the first {BADGES.files} listings by rank, which need no script and change with each
        publication: <img class="badge-image" src={root + badge} alt={`Price of ${name}`} height={20} />
      </p>
      <SampleTabs
        id="embeds"
        samples={[
          ['Markdown', `![${name}](${site}${badge})`],
          ['HTML', `<img src="${site}${badge}" alt="Price of ${name}">`],
          [
            'Elements',
            `<script type="module" src="${site}embed.js"></script>\n<quote-price slug="${slug}"></quote-price>\n<quote-chart slug="${slug}" days="30"></quote-chart>`,
          ],
        ]}
      />
    </section>
  )
}

const idOf = (name: string): string => `group-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`

/** The contents of the reference, beside it. */
const Contents = ({ groups, hasEmbeds }: { readonly groups: readonly Group[]; readonly hasEmbeds: boolean }) => (
  <nav class="contents" aria-label="Endpoints">
    <input id="docs-search" type="search" placeholder="Find an endpoint" aria-label="Find an endpoint" />
    <a href="#quickstart">Quickstart</a>
    {hasEmbeds && <a href="#embeds">{EMBEDS}</a>}
    {groups.map(({ name, operations }) => (
      <>
        <a href={`#${idOf(name)}`}>{name}</a>
        <ul>
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

export interface DocsProps {
  /** An OpenAPI description. */
  readonly document: unknown
  /** Address of the site, with a slash at the end. */
  readonly site: string
  /** A listing with a badge; null: there is none. */
  readonly embedded: Embedded | null
}

/** The reference of an OpenAPI description, with the endpoints closed. */
export function Docs({ document, site, embedded }: DocsProps) {
  const { root } = useSite()
  const base = site + API_FOLDER
  const groups = groupsOf(document)
  return (
    <>
      <h1>API reference</h1>
      <div id="docs" class="reference">
        <Contents groups={groups} hasEmbeds={embedded !== null} />
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
          <section aria-label="Quickstart">
            <h2 id="quickstart">Quickstart</h2>
            <SampleTabs id="quickstart" samples={quickstart(base)} />
          </section>
          {embedded !== null && <Embeds site={site} of={embedded} />}
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
