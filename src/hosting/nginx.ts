import { type EndpointSpec, cuttingParameter, queryParameters } from '../contract/endpoint-spec.ts'
import { renameFile } from '../contract/paths.ts'
import { PREFIX } from '../contract/words.ts'
import { PLAIN_HEADERS, SHARED_HEADERS } from './headers.ts'
import type { HostFile, Site } from './host-files.ts'

/** Queries that choose a file: `limit` in plain digits, and each value of the others. */
export function queryPattern(specs: readonly EndpointSpec[]): string {
  const cuts = new Set(specs.flatMap((spec) => cuttingParameter(spec) ?? []))
  const chosen = new Map(
    specs.flatMap((spec) =>
      queryParameters(spec).flatMap(([name, { allowed }]) =>
        typeof allowed === 'string' ? [] : [[name, allowed.join('|')] as const],
      ),
    ),
  )
  return [
    ...[...cuts].map((name) => `${name}=[1-9][0-9]*`),
    ...[...chosen].map(([name, values]) => `${name}=(?:${values})`),
  ].join('|')
}

/** Endpoints whose document is chosen by a value that may be left out: path as a pattern, and that value. */
export const defaults = (specs: readonly EndpointSpec[]): { readonly pattern: string; readonly file: string }[] =>
  specs.flatMap((spec) =>
    queryParameters(spec).flatMap(([name, { default: usual }]) =>
      usual === undefined
        ? []
        : [{ pattern: `^${PREFIX}${spec.path.replaceAll(/:[a-z_]+/g, '[a-z0-9-]+')}$`, file: `/${name}=${usual}` }],
    ),
  )

/** Paths of the endpoints that take a POST: the program answers them and what is below them, their file too: it knows newer. */
export const livePaths = (specs: readonly EndpointSpec[]): string[] => [
  ...new Set(specs.flatMap(({ method, path }) => (method === 'POST' ? [PREFIX + path] : []))),
]

/** The time of an error on a machine whose zone is not UTC: servers of files cannot convert it. */
export const NO_TIME = '1970-01-01T00:00:00Z'

const headers = PLAIN_HEADERS.map(([name, value]) => `add_header ${name} "${value}" always;`)

const DOWN =
  '{"ok":false,"product":"Quotetree","endpoint":"index","timestamp":"$time_stamp","sourceStatus":"ok","sourceError":null,' +
  '"error":{"code":"unavailable","message":"This cannot be answered now. Try again later.","status":503,"parameter":null,"allowed":null}}'

/**
 * nginx: files by itself, with their twins; what no file answers comes from the Node server. Files answer most requests, and
 * go on doing so while the Node server is away.
 */
export function nginx({ specs, tree, server, port, brotli }: Site): HostFile[] {
  const query = queryPattern(specs)
  const usual = defaults(specs)
  const own = (indent: string) => headers.map((line) => `${indent}${line}`).join('\n')
  const text = `# Made by npm run hosting -- nginx: include it within the http block, or from conf.d.

map $request_method:$args $quotetree_query {
  "~^(?:GET|HEAD):$" "";
  "~^(?:GET|HEAD):(?<chosen>${query})$" "/$chosen";
  default "/-";
}
${usual
  .map(
    ({ file }, place) => `map $quotetree_query $quotetree_usual${place} {
  "" ${file};
  default $quotetree_query;
}`,
  )
  .join('\n')}
map $time_iso8601 $time_stamp {
  "~^(?<moment>.+)\\+00:00$" "\${moment}Z";
  default "${NO_TIME}";
}

map $uri $quotetree_slug {
  "~^${PREFIX}/(?:assets|history)/(?<slug>[a-z0-9-]+)(?:/markets)?$" $slug;
  default "-";
}

upstream quotetree {
  server ${server};
  keepalive 32;
}

server {
  listen ${port};
  root ${tree};
  charset utf-8;
  charset_types application/json text/css text/csv application/xml image/svg+xml;
  types {
    application/json json;
    text/html html;
    text/css css;
    text/javascript js;
    text/csv csv;
    text/plain txt;
    application/xml xml;
    application/x-ndjson ndjson;
    image/svg+xml svg;
  }
  gzip_static on;
  ${brotli ? 'brotli_static on;' : '# brotli_static on;  # with the package libnginx-mod-http-brotli-static'}
  client_max_body_size 64k;
  absolute_redirect off;
  error_page 502 504 = @down;

  # A slug that was given up: the program redirects to its successor.
  error_page 418 = @program;
  if (-f $document_root${renameFile('$quotetree_slug')}) { return 418; }

  # What begins with a dot is not published.
  location ~ /\\. { return 404; }
${livePaths(specs)
  .map((path) => `  location ~ ^${path}(?:\\.json$|/|$) { try_files /.none @program; }`)
  .join('\n')}
${usual
  .map(
    ({ pattern }, place) => `  location ~ ${pattern} {
${own('    ')}
    try_files $uri$quotetree_usual${place}.json @program;
  }`,
  )
  .join('\n')}
  location ~ ^${PREFIX}(?:/.*)?/$ { rewrite ^(.*)/$ $1 last; }
  location ~ ^${PREFIX}(?:/.*)?\\.[a-z]+$ {
${own('    ')}
    if ($request_method !~ ^(?:GET|HEAD)$) { rewrite ^ /.none last; }
    try_files $uri @program;
  }
  location ~ ^${PREFIX}(?:/|$) {
${own('    ')}
    try_files $uri$quotetree_query.json @program;
  }
  location / {
${SHARED_HEADERS.map(([name, value]) => `    add_header ${name} "${value}" always;`).join('\n')}
    try_files $uri $uri/index.html @program;
  }
  location = /.none { internal; try_files /.none @program; }

  location @program {
    proxy_pass http://quotetree;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $remote_addr;
  }
  location @down {
    internal;
    default_type "application/json; charset=utf-8";
    add_header Access-Control-Allow-Origin "*" always;
    add_header Cache-Control "no-store" always;
    add_header Retry-After "30" always;
    return 503 '${DOWN}';
  }
}
`
  return [{ path: 'quotetree.conf', text, place: 'folder' }]
}
