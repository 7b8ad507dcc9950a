import { exampleKey, fileOf, queryParameters, urlOf } from '../contract/endpoint-spec.ts'
import { LIMITS } from '../contract/limit-variants.ts'
import { API_FOLDER, PREFIX } from '../contract/prefix.ts'
import { DOCUMENT_HEADERS } from './host-headers.ts'
import type { HostFile, Site } from './host-files.ts'

/** Configuration of `serve`, to preview the tree on a plain static host. */
export function serve({ tree }: Site): HostFile[] {
  const headers = DOCUMENT_HEADERS.filter(([name]) => name !== 'Vary').map(([key, value]) => ({ key, value }))
  const config = {
    public: tree,
    // Only pages: the API has a file and a folder of the same name.
    cleanUrls: ['/', '/*'],
    directoryListing: false,
    rewrites: [{ source: '/token/:slug([a-z0-9-]+)', destination: '/token/index.html' }],
    headers: [`${API_FOLDER}.json`, `${API_FOLDER}/**/*.json`].map((source) => ({ source, headers })),
  }
  return [{ path: 'serve.json', text: `${JSON.stringify(config, null, 2)}\n`, place: 'folder' }]
}

/** GitHub Pages, buckets, jsDelivr, raw git: only files, and a page that lists what works there. */
export function plain({ specs }: Site): HostFile[] {
  const rows = specs
    .filter(({ method }) => method === 'GET')
    .map((spec) => {
      // Static hosts need the default value, because the file name contains it.
      const usual = queryParameters(spec).flatMap(([name, { default: value }]) =>
        value === undefined ? [] : [[name, value] as const],
      )
      const named = Object.keys(spec.parameters).map((name) => [name, `<${name}>`] as const)
      const key = { ...(exampleKey(spec) ?? Object.fromEntries(named)), ...Object.fromEntries(usual) }
      return `| \`${urlOf(spec, key)}\` | \`/${fileOf(spec, key)}\` |`
    })
  const text = `# What works here

This host sends files and runs nothing. Every answer of the API is a file:

| request | file |
|---|---|
${rows.join('\n')}
| \`${PREFIX}/assets?limit=10\` | \`${PREFIX}/assets/limit=10.json\` |

There is a file for each \`limit\` of ${LIMITS.join(', ')} that the list is long enough for; for another
number take the next larger file, or the whole list, and its first rows. What does not work here: the paths without \`.json\`, other queries, \`POST\` and \`OPTIONS\`, errors as JSON, and the headers of the spec but
for those that the host sets for every file.

The pages work as everywhere: that of a token is \`/token/?id=bitcoin\`, and \`/token/bitcoin\` too where the host shows
\`404.html\` for what it does not have, as GitHub Pages does.
`
  return [
    // Without it, GitHub Pages runs Jekyll and omits files that begin with an underscore.
    { path: '.nojekyll', text: '', place: 'tree' },
    { path: 'HOSTING.md', text, place: 'tree' },
  ]
}
