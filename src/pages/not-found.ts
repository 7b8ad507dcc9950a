import { createHash } from 'node:crypto'

/**
 * Redirects `/token/<slug>`, the path in rows, to the single token page. Static hosts have no rewrite rule, and many show
 * this page for missing files at any depth, so it cannot load other files of the site.
 */
const PROGRAM =
  'const [,root,slug]=/^(.*)\\/token\\/([a-z0-9-]+)(?:\\.html)?\\/?$/.exec(location.pathname)??[];if(slug)location.replace(`${root}/token/#${slug}`)'

/** Returns the 404 page of static hosts. */
export function notFound(product: string): string {
  const hash = createHash('sha256').update(PROGRAM).digest('base64')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="color-scheme" content="light dark">
<title>Not here · ${product}</title>
<script>${PROGRAM}</script>
</head>
<body>
<h1>Not here</h1>
<p>There is nothing under this address. Prices are at the beginning of the site, and the API lists what it has at <code>api/mkt.json</code>.</p>
</body>
</html>
`
}
