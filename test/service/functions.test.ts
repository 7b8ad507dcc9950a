import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { getTransformedRoutes } from '@vercel/routing-utils'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { HostProgram } from '../../scripts/bundled.ts'
import { bundle } from '../../scripts/hosts/bundle.ts'
import { specs } from '../../src/endpoints/table.ts'
import { sum } from '../../src/feed/statistics.ts'
import { DOCUMENT_HEADERS } from '../../src/service/host-rules.ts'
import { hostFiles } from '../../scripts/host-files.ts'
import type { Finding } from '../../src/check/deviation.ts'
import { probe, siteAt } from '../../src/check/probe.ts'
import { newFolder, copySampleTree } from '../sample-tree.ts'
import { type Route, functionHost } from './function-hosts.ts'
import { type Host, freePort, startedIn } from './running.ts'
import { deepIt } from '../scale.ts'

const root = newFolder()
beforeAll(async () => {
  await copySampleTree(root)
})

const site = { specs, tree: root, server: '', port: 0, brotli: false, database: null }
const fileOf = (host: string, path: string): string =>
  hostFiles(host, site).find((file) => file.path === path)?.text ?? ''

const Answering = z.custom<(request: Request, context: object) => Promise<Response>>(
  (value) => typeof value === 'function',
)

/** The program of a host as its runtime loads it: one file, without the project around it. */
async function programOf(host: HostProgram): Promise<{ readonly text: string; readonly program: unknown }> {
  const file = join(newFolder(), 'program.mjs')
  const text = await bundle(host)
  writeFileSync(file, text)
  const { default: program }: { default: unknown } = await import(pathToFileURL(file).href)
  return { text, program }
}

/** The hosts' own networks compress; what stands for them here does not. */
const compresses = ({ check, document }: Finding): boolean => check === 'compression' || /(gzip|br)$/.test(document)

async function failuresOf(host: Host): Promise<readonly Finding[]> {
  try {
    const gecko = await fetch(`${host.url}/api/v3/simple/price?ids=bitcoin&vs_currencies=usd`)
    const compare = await fetch(`${host.url}/data/price?fsym=BTC&tsyms=USD`)
    const text = await fetch(`${host.url}/text/bitcoin`)
    const { bitcoin } = JSON.parse(readFileSync(join(root, 'api/mkt/prices.json'), 'utf8')).prices
    expect(await gecko.json()).toEqual({ bitcoin: { usd: bitcoin } })
    expect([await compare.json(), Number(await text.text())]).toEqual([{ USD: bitcoin }, bitcoin])
    const { findings, answers } = await probe(siteAt(host.url, fetch), specs, 'full')
    expect(sum(Object.values(answers))).toBeGreaterThan(300)
    return findings.filter((finding) => !compresses(finding))
  } finally {
    await host.end()
  }
}

describe('Netlify', () => {
  it('answers the contract from its files and its function', async () => {
    const { text, program } = await programOf('netlify')
    const handler = Answering.parse(program)
    // Files first, then the function for all paths that its `config` names, which Netlify reads without running the program.
    const [, literal = ''] = /^export const config = (\{.*\});$/m.exec(text) ?? []
    const { path } = z.object({ path: z.array(z.string()) }).parse(JSON.parse(literal))
    const route: Route = (url) =>
      path.some((one) => new RegExp(`^${one.replace('*', '.*')}$`).test(url.pathname)) ? url : null
    const host = await functionHost(root, DOCUMENT_HEADERS, route, (request) => handler(request, { ip: '192.0.2.1' }))
    // That stand-in sends no tags with files; Netlify does.
    expect(await failuresOf(host)).toEqual([])
  })

  it('sets the headers of the contract on files', () => {
    const text = fileOf('netlify', '_headers')
    for (const [name, value] of DOCUMENT_HEADERS) expect(text).toContain(`\n  ${name}: ${value}\n`)
  })
})

deepIt('Vercel answers the contract from its files, its rewrites and its function', async () => {
  const Config = z.object({ rewrites: z.array(z.object({ source: z.string(), destination: z.string() })) })
  const { rewrites } = Config.parse(JSON.parse(fileOf('vercel', 'vercel.json')))
  const { routes, error } = getTransformedRoutes({ rewrites })
  expect(error).toBeNull()
  const Rule = z.object({ src: z.string(), dest: z.string() })
  const rules = (routes ?? []).flatMap((rule) => Rule.safeParse(rule).data ?? [])
  expect(rules.length).toBe(rewrites.length)
  const route: Route = (url) => {
    for (const { src, dest } of rules) {
      const match = new RegExp(src).exec(url.pathname)
      if (!match) continue
      const to = dest.replaceAll(/\$(\d+)/g, (_, group: string) => encodeURIComponent(match[Number(group)] ?? ''))
      const target = new URL(to, url)
      for (const [name, value] of url.searchParams) target.searchParams.append(name, value)
      return target
    }
    return null
  }
  const Program = z.object({ fetch: Answering })
  const program = Program.parse((await programOf('vercel')).program)
  const host = await functionHost(root, DOCUMENT_HEADERS, route, (request) => program.fetch(request, {}))
  expect(await failuresOf(host)).toEqual([])
})

describe('a host of files alone', () => {
  deepIt('has every document as a file, and the rest is expected', async () => {
    const folder = newFolder()
    for (const page of ['index', 'docs/index', 'token/bitcoin', '404']) {
      mkdirSync(join(root, dirname(page)), { recursive: true })
      writeFileSync(join(root, `${page}.html`), '<p>page</p>')
    }
    writeFileSync(join(folder, 'serve.json'), fileOf('serve', 'serve.json'))
    const port = await freePort()
    const program = new URL('../../node_modules/serve/build/main.js', import.meta.url).pathname
    const args = [program, '-c', join(folder, 'serve.json'), '-l', `tcp://127.0.0.1:${port}`, '--no-clipboard', '-L']
    const host = await startedIn(process.execPath, [...args, root], folder, port)
    try {
      for (const page of ['/', '/docs/', '/token/bitcoin', '/token/no-such', '/nothing']) {
        const { status, text } = await fetch(host.url + page).then(async (answer) => ({
          status: answer.status,
          text: await answer.text(),
        }))
        expect([page, status, text]).toEqual([page, /no/.test(page) ? 404 : 200, '<p>page</p>'])
      }
      const { findings, answers } = await probe(siteAt(host.url, fetch), specs, 'static')
      expect(findings).toEqual([])
      expect(answers['file']).toBeGreaterThan(20)
    } finally {
      await host.end()
    }
  })

  it('says which features work there', () => {
    expect(fileOf('static', 'HOSTING.md')).toContain('/api/mkt/history/bitcoin/days=7.json')
    expect(readFileSync(join(root, 'api/mkt/history/bitcoin/days=7.json'), 'utf8')).toContain('"ok":true')
  })
})
