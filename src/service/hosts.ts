import { caddy } from './caddy.ts'
import { cloudflare, netlify, vercel } from './functions.ts'
import type { HostFile, Site } from './host-files.ts'
import { cron, docker, systemd } from './machines.ts'
import { nginx } from './nginx.ts'
import { plain, serve } from './plain.ts'

/** Configuration files and deployment of a host. */
export interface HostPlan {
  readonly files: (site: Site) => HostFile[]
  /** Program of the host, and its destination. */
  readonly program: { readonly name: 'cloudflare' | 'netlify' | 'vercel'; readonly path: string } | null
  /** Whether it hosts no tree. */
  readonly isWithoutTree?: true
  /** Next steps in the folder of the host's files. */
  readonly next: string
}

/** All hosts. */
export const HOSTS: Readonly<Record<string, HostPlan>> = {
  cloudflare: {
    files: cloudflare,
    program: { name: 'cloudflare', path: 'worker.js' },
    next: 'npx wrangler d1 create quotetree-requests, this command again with --database <its id>, npx wrangler secret put QUEUE_SECRET, npx wrangler deploy',
  },
  netlify: {
    files: netlify,
    program: { name: 'netlify', path: 'functions/quotetree.mjs' },
    next: 'set QUEUE_DATABASE (<account>/<database> of D1), QUEUE_TOKEN and QUEUE_SECRET for the site, npx netlify-cli@27.10.2 deploy --prod',
  },
  vercel: {
    files: vercel,
    program: { name: 'vercel', path: 'api/quotetree.mjs' },
    next: 'set QUEUE_DATABASE (<account>/<database> of D1), QUEUE_TOKEN and QUEUE_SECRET for the project, npx vercel@64.0.2 deploy --prod',
  },
  nginx: {
    files: nginx,
    program: null,
    next: 'set compress: true, PROXIES=1 npm run serve, include quotetree.conf in nginx and reload it',
  },
  caddy: { files: caddy, program: null, next: 'set compress: true, PROXIES=1 npm run serve, TZ=UTC caddy run' },
  docker: {
    files: docker,
    isWithoutTree: true,
    program: null,
    next: 'docker compose -f compose.yml up --build --detach; the API is at http://127.0.0.1:8787',
  },
  systemd: {
    files: systemd,
    isWithoutTree: true,
    program: null,
    next:
      'sudo cp *.service *.timer /etc/systemd/system/, sudo systemctl daemon-reload, sudo systemctl enable --now ' +
      'quotetree-snapshot.timer, and after the first snapshot sudo systemctl enable --now quotetree-server.service',
  },
  cron: { files: cron, isWithoutTree: true, program: null, next: 'crontab quotetree.cron' },
  static: { files: plain, program: null, next: 'publish the tree; its HOSTING.md lists what works there' },
  serve: { files: serve, program: null, next: 'npx serve -c serve.json' },
}
