import * as z from 'zod'
import manifest from '../package.json' with { type: 'json' }
import { UsageError } from './command.ts'

export const ENGINE_VERSION = manifest.version

const url = z.url({ protocol: /^https?$/, error: 'a URL that begins with http:// or https://' }).optional()
const text = z.string().optional()
const wholeNumber = (most: number, error: string) =>
  z.coerce.number({ error }).int({ error }).min(0, { error }).max(most, { error })

/** The variables, each with what it takes, for the message about one that is wrong. Its value may be a secret and is never printed. */
export const Environment = z.object({
  MKT_UPSTREAM: url,
  MKT_NOW: z.iso.datetime({ error: 'a time in UTC, such as 2026-11-20T12:00:00Z' }).optional(),
  COINGECKO_API_KEY: text,
  COINGECKO_PLAN: z.enum(['demo', 'pro'], { error: '"demo" or "pro"' }).default('demo'),
  GITHUB_SHA: text,
  GITHUB_REPOSITORY: text,
  GITHUB_SERVER_URL: z.string().default('https://github.com'),
  SITE_URL: text,
  HTTPS_PROXY: url,
  https_proxy: url,
  NO_PROXY: text,
  no_proxy: text,
  S3_ENDPOINT: url,
  AWS_REGION: text,
  AWS_ACCESS_KEY_ID: text,
  AWS_SECRET_ACCESS_KEY: text,
  AWS_SESSION_TOKEN: text,
  QUEUE_TOKEN: text,
  QUEUE_SECRET: z.string().min(32, { error: 'a secret of at least 32 characters' }).optional(),
  QUEUE_API: url,
  PROXIES: wholeNumber(9, 'a whole number from 0 to 9').default(0),
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(65_535, 'a port: a whole number from 0 to 65535').default(8787),
})

export const secretVariable = (variable: string): string | undefined => process.env[variable] || undefined

export function environment(): z.infer<typeof Environment> {
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
  const result = Environment.safeParse(set)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new UsageError(`The environment variable ${issue?.path.join('.')} takes ${issue?.message}.`)
}

export function gitEnvironment(): NodeJS.ProcessEnv {
  const { GITHUB_TOKEN: token, GITHUB_SERVER_URL: server } = process.env
  const own = Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|SSH_AUTH_SOCK|GIT_(CONFIG|SSH|ASKPASS).*|(HTTPS?|NO)_PROXY)$/i.test(name),
  )
  const header = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${server}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
  }
  return { ...Object.fromEntries(own), ...(token && server ? header : {}) }
}

export function runTime(): number {
  const { MKT_NOW } = environment()
  return MKT_NOW === undefined ? Date.now() : Date.parse(MKT_NOW)
}
