import * as z from 'zod'
import { SiteAddress } from '../src/contract/words.ts'
import { type LogSigner, signersIn } from '../src/tree/run-log.ts'
import { UsageError } from './usage.ts'

const Environment = z.object({
  MKT_UPSTREAM: z.url({ protocol: /^https?$/ }).optional(),
  MKT_NOW: z.iso.datetime().optional(),
  COINGECKO_PLAN: z.enum(['demo', 'pro']).optional(),
  COLLECTORS: z.string().min(1).optional(),
  MKT_LOG_KEY: z.string().transform(signersIn).pipe(z.array(z.custom<LogSigner>()).min(1)).optional(),
  GITHUB_SHA: z.string().min(1).optional(),
  SITE_URL: SiteAddress.optional(),
  GITHUB_API_URL: z.url({ protocol: /^https?$/ }).default('https://api.github.com'),
  GITHUB_REPOSITORY: z.string().min(1).optional(),
  GITHUB_RUN_ID: z.string().min(1).optional(),
  GITHUB_SERVER_URL: z.string().min(1).default('https://github.com'),
  GITHUB_TOKEN: z.string().min(1).optional(),
  HTTPS_PROXY: z.url({ protocol: /^https?$/ }).optional(),
  https_proxy: z.url({ protocol: /^https?$/ }).optional(),
  NO_PROXY: z.string().optional(),
  no_proxy: z.string().optional(),
  S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  AWS_REGION: z.string().min(1).optional(),
  NPM_TOKEN: z.string().min(1).optional(),
  QUEUE_TOKEN: z.string().min(1).optional(),
  QUEUE_SECRET: z.string().min(32).optional(),
  QUEUE_API: z.url({ protocol: /^https?$/ }).optional(),
  PROXIES: z.coerce.number().int().min(0).max(9).default(0),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8787),
})

const URL_TAKEN = 'a URL that begins with http:// or https://'

/** What a variable takes, for the message about one that is wrong. Its value may be a secret and is never printed. */
const TAKES: Readonly<Record<string, string>> = {
  MKT_UPSTREAM: URL_TAKEN,
  MKT_NOW: 'a time in UTC, such as 2026-11-20T12:00:00Z',
  MKT_LOG_KEY: 'one or two private keys of one name, PRIVATE+KEY+name+id+base64, separated by a space',
  COINGECKO_PLAN: '"demo" or "pro"',
  GITHUB_API_URL: URL_TAKEN,
  HTTPS_PROXY: URL_TAKEN,
  https_proxy: URL_TAKEN,
  S3_ENDPOINT: URL_TAKEN,
  SITE_URL: `${URL_TAKEN}, without credentials, query and fragment`,
  QUEUE_SECRET: 'a secret of at least 32 characters',
  QUEUE_API: URL_TAKEN,
  PROXIES: 'a whole number from 0 to 9',
  PORT: 'a port: a whole number from 0 to 65535',
}

/** Returns a secret from the variable that the configuration names; undefined if it is not set. */
export const secretIn = (variable: string): string | undefined => process.env[variable] || undefined

/** Returns the validated environment variables. */
export function environment(): z.infer<typeof Environment> {
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
  const result = Environment.safeParse(set)
  if (result.success) return result.data
  const name = result.error.issues[0]?.path.join('.') ?? ''
  throw new UsageError(`The environment variable ${name} takes ${TAKES[name] ?? 'a text'}.`)
}

/** Returns the environment variables for git and npm: PATH, HOME for credentials, proxies, and those that CI sets for git. */
export function gitEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && /^(PATH|HOME|SSH_AUTH_SOCK|GIT_(CONFIG|SSH|ASKPASS).*|(HTTPS?|NO)_PROXY)$/i.test(name)
        ? [[name, value]]
        : [],
    ),
  )
}

/** Returns the time of a run in ms since 1970: that of the environment, or now. */
export function runTime(): number {
  const { MKT_NOW } = environment()
  return MKT_NOW === undefined ? Date.now() : Date.parse(MKT_NOW)
}
