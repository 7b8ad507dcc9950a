import type { Asset } from '../client/answers.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { CopyButton } from './marks.tsx'
import { useSite } from './site.tsx'

export type Sample = readonly [language: string, text: string]

/** One sample of several, chosen by its language. The choice needs no script. */
export const Samples = ({ id, samples }: { readonly id: string; readonly samples: readonly Sample[] }) => (
  <div class="samples">
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
        <div class="command">
          <pre class="sample" tabindex={0}>
            {text}
          </pre>
          <CopyButton label={`Copy the example for ${language}`} />
        </div>
      </>
    ))}
  </div>
)

export const samplesOf = (url: string): readonly Sample[] => [
  ['curl', `curl '${url}'`],
  ['JavaScript', `const answer = await fetch('${url}')\nconsole.log(await answer.json())`],
  [
    'Python',
    `import json, urllib.request\n\nwith urllib.request.urlopen('${url}') as answer:\n    print(json.load(answer))`,
  ],
]

export const embedSample = (address: string, slug: string): Sample => [
  'HTML',
  `<script type="module" src="${address}embed.js"></script>
<quote-price slug="${slug}"></quote-price>
<quote-chart slug="${slug}" days="30"></quote-chart>`,
]

/** Returns the answer that has an asset, without most of its members. */
function answerOf({ slug, symbol, name, market_cap_rank, price_usd, percent_change_24h, last_updated }: Asset): string {
  const asset = { slug, symbol, name, market_cap_rank, price_usd, percent_change_24h, last_updated }
  return JSON.stringify({ ok: true, asset }, null, 2).replace('\n  }', ',\n    …\n  }')
}

export function ApiOfCoin({ asset }: { readonly asset: Asset }) {
  const { root, address } = useSite()
  const { slug, name } = asset
  const files = [
    [`assets/${slug}`, 'Everything known of it'],
    [`assets/${slug}/markets`, 'Its markets'],
    [`history/${slug}/days=30`, 'Prices of 30 days'],
  ] as const
  return (
    <section class="api" aria-label={`API of ${name}`}>
      <h2 id="api">API</h2>
      <p class="prose">
        {name} as JSON: no key, no rate limit, and CORS for every site. More in{' '}
        <a href={`${root}docs/`}>the API docs</a>.
      </p>
      <div class="code-pair">
        <Samples id="coin" samples={samplesOf(`${address}${API_FOLDER}/assets/${slug}.json`)} />
        <pre class="output" tabindex={0} aria-label="Answer">
          {answerOf(asset)}
        </pre>
      </div>
      <ul class="plain files">
        {files.map(([file, text]) => (
          <li>
            <a href={`${root}${API_FOLDER}/${file}.json`}>
              <code>{file}.json</code>
            </a>{' '}
            <span class="soft">{text}</span>
          </li>
        ))}
      </ul>
      <h3>On a page of yours</h3>
      <Samples id="embed" samples={[embedSample(address, slug)]} />
    </section>
  )
}
