import { renameFile } from '../contract/paths.ts'
import { PREFIX } from '../contract/words.ts'
import { PLAIN_HEADERS, SHARED_HEADERS } from './headers.ts'
import type { HostFile, Site } from './host-files.ts'
import { NO_TIME, defaults, livePaths, queryPattern } from './nginx.ts'

// Caddy tells the time in the machine's zone; in another than UTC an error says no time rather than a wrong one.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Caddy: as nginx, files by itself and the Node server for what no file answers. */
export function caddy({ specs, tree, server, port }: Site): HostFile[] {
  const live = livePaths(specs).flatMap((path) => [path, `${path}.json`, `${path}/*`])
  const text = `# Made by npm run hosting -- caddy. With a domain in place of the port, Caddy gets its certificate too.

:${port} {
  root * ${tree}
  map {query} {chosen} {
    ~^$ ""
    ~^(${queryPattern(specs)})$ "/\${1}"
    default "/-"
  }
  map {path} {slug} {
    ~^${PREFIX}/(?:assets|history)/([a-z0-9-]+)(?:/markets)?$ "\${1}"
    default "-"
  }
  map {time.now.common_log} {stamp} {
${MONTHS.map(
  (month, place) =>
    `    ~^(\\d\\d)/${month}/(\\d{4}):(\\S+)\\s\\+0000$ "\${2}-${String(place + 1).padStart(2, '0')}-\${1}T\${3}Z"`,
).join('\n')}
    default "${NO_TIME}"
  }

  route {
    @slash path_regexp slash ^(${PREFIX}(?:/.*)?)/$
    uri @slash strip_suffix /

    # A slug that was given up: the program redirects to its successor.
    @renamed file ${renameFile('{slug}')}
    reverse_proxy @renamed ${server}

    @live path ${live.join(' ')}
    reverse_proxy @live ${server}

    @hidden path_regexp /\\.
    reverse_proxy @hidden ${server}

${defaults(specs)
  .map(
    ({ pattern, file }, place) => `    @usual${place} {
      method GET HEAD
      path_regexp ${pattern}
      query ""
      file {path}${file}.json
    }
    rewrite @usual${place} {path}${file}.json`,
  )
  .join('\n')}
    @document {
      method GET HEAD
      path ${PREFIX} ${PREFIX}/*
      file {path}{chosen}.json
    }
    rewrite @document {path}{chosen}.json

    @file {
      method GET HEAD
      file {path} {path}/index.html
    }
    handle @file {
      header {
${SHARED_HEADERS.map(([name, value]) => `        ${name} "${value}"`).join('\n')}
      }
      header ${PREFIX}* {
${PLAIN_HEADERS.map(([name, value]) => `        ${name} "${value}"`).join('\n')}
      }
      @json path *.json
      header @json {
        Content-Type "application/json; charset=utf-8"
        defer
      }
      file_server {
        precompressed br gzip
        hide .*
      }
    }
    reverse_proxy ${server}
  }

  handle_errors {
    header Content-Type "application/json; charset=utf-8"
    header Access-Control-Allow-Origin "*"
    header Cache-Control "no-store"
    header Retry-After "30"
    respond \`{"ok":false,"product":"Quotetree","endpoint":"index","timestamp":"{stamp}","sourceStatus":"ok","sourceError":null,"error":{"code":"unavailable","message":"This cannot be answered now. Try again later.","status":503,"parameter":null,"allowed":null}}\` 503
  }
}
`
  return [{ path: 'Caddyfile', text, place: 'folder' }]
}
