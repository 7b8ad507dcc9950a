import { hashing } from '../contract/digest.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { escaped } from './escaped.ts'

/**
 * Redirects `/token/<slug>`, the path in rows, to the single token page. Static hosts have no rewrite rule, and many show
 * this page for missing files at any depth, so it cannot load other files of the site.
 */
const PROGRAM =
  'const [,root,slug]=/^(.*)\\/token\\/([a-z0-9-]+)(?:\\.html)?\\/?$/.exec(location.pathname)??[];if(slug)location.replace(`${root}/token/?id=${slug}`)'

const STYLE =
  ':root{color-scheme:light dark}body{display:grid;place-items:center;min-height:90vh;margin:0;padding:0 20px;' +
  'background:light-dark(#fbfbf9,#101418);color:light-dark(#14181d,#e8ebee);font:15px/1.5 system-ui,sans-serif}' +
  'main{max-width:46ch}h1{margin:0 0 8px;font-size:28px}a{color:light-dark(#0b6e5f,#4cc3ad)}' +
  'header{padding:14px 0}form{display:flex;gap:8px;margin:16px 0}input,button{flex:1;padding:8px 12px;border:1px solid;border-radius:8px;' +
  'background:none;color:inherit;font:inherit}button{flex:none}'

const digest = (text: string): string => `'sha256-${hashing().update(text).digest('base64')}'`

/**
 * Returns the 404 page of static hosts.
 *
 * @param site address of the site; null: not known, and taken to be the root of its host
 */
export function notFound(product: string, site: string | null): string {
  const home = site ?? '/'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${digest(PROGRAM)}; style-src ${digest(STYLE)}; base-uri 'none'; form-action 'self'">
<meta name="robots" content="noindex">
<title>Page not found · ${escaped(product)}</title>
<style>${STYLE}</style>
<script>${PROGRAM}</script>
</head>
<body>
<main>
<header><a href="${home}">${escaped(product)}</a></header>
<h1>Page not found</h1>
<p>There is no page at this address. The listing may have been renamed, or the link may be mistyped.</p>
<form action="${home}" role="search"><input name="q" type="search" aria-label="Search the market" placeholder="Search the market"><button>Search</button></form>
<p>The index of the API is <a href="${home}${API_FOLDER}.json"><code>${API_FOLDER}.json</code></a>.</p>
</main>
</body>
</html>
`
}
