/** Day on which the limits were read from the named pages, or from a stored copy of them. */
export const LIMITS_READ_ON = '2026-11-22'

/** What a host limits. */
export type Limited =
  | 'files'
  | 'bytes'
  | 'file_bytes'
  | 'folder_files'
  | 'deploys_per_day'
  | 'deploys_per_month'
  | 'function_requests_per_day'
  | 'writes_per_month'
  | 'writes_per_run'
  | 'transfer_bytes_per_month'

/** What GitHub Actions takes for a run of the workflow, and gives away. */
export const ACTIONS = {
  /** Each job counts in whole minutes: three of the build, one of the deployment, one of the alarm. */
  minutesPerRun: 5,
  /** For private repositories of a free account. Public ones are not counted. */
  freeMinutesPerMonth: 2000,
  /** US dollars for each further minute of a Linux machine with two cores, since January 2026. */
  dollarsPerMinute: 0.006,
  address: 'https://docs.github.com/en/billing/concepts/product-billing/github-actions',
} as const

/** What a bucket costs beyond what is free, in US dollars, by the price list on {@link LIMITS_READ_ON}. */
interface BucketPrices {
  readonly writesPerMillion: number
  readonly gigabyteMonth: number
  readonly freeWritesPerMonth: number
  readonly freeGigabytes: number
  readonly address: string
}

/** A limit and the page that states it. */
export interface HostLimit {
  readonly of: Limited
  readonly most: number
  readonly address: string
}

const [MIB, MB, GB] = [2 ** 20, 10 ** 6, 10 ** 9]

const WORKERS = 'https://developers.cloudflare.com/workers/platform/limits/'
const R2 = 'https://developers.cloudflare.com/r2/pricing/'
const PAGES = 'https://docs.github.com/en/pages/getting-started-with-github-pages/github-pages-limits'
const NETLIFY = 'https://docs.netlify.com/site-deploys/overview/'
const NETLIFY_PRICING = 'https://www.netlify.com/pricing/'
const VERCEL = 'https://vercel.com/docs/limits'

/** A number of our own: with 1,440 runs a month a bucket costs what 3.6 million writes cost. */
const WRITES = 2500

const row = (address: string, of: Limited, most: number): HostLimit => ({ of, most, address })

/**
 * Documented limits of hosts. Requests for static assets of Cloudflare Workers are free and unlimited. GitHub's soft limit
 * of 10 builds an hour does not hold for sites that a workflow of one's own publishes.
 */
export const HOST_LIMITS = {
  cloudflare: [
    row(WORKERS, 'files', 20_000),
    row(WORKERS, 'file_bytes', 25 * MIB),
    row(WORKERS, 'function_requests_per_day', 100_000),
  ],
  'cloudflare-paid': [row(WORKERS, 'files', 100_000), row(WORKERS, 'file_bytes', 25 * MIB)],
  'github-pages': [row(PAGES, 'bytes', GB), row(PAGES, 'transfer_bytes_per_month', 100 * GB)],
  // Each with all of the credits.
  netlify: [
    row(NETLIFY, 'folder_files', 54_000),
    row(NETLIFY_PRICING, 'deploys_per_month', 20),
    row(NETLIFY_PRICING, 'transfer_bytes_per_month', 15 * GB),
  ],
  vercel: [
    row(VERCEL, 'bytes', 100 * MB),
    row(VERCEL, 'deploys_per_day', 100),
    row(VERCEL, 'transfer_bytes_per_month', 100 * GB),
  ],
  'vercel-pro': [
    row(VERCEL, 'bytes', GB),
    row(VERCEL, 'deploys_per_day', 6000),
    row(VERCEL, 'transfer_bytes_per_month', 1000 * GB),
  ],
  bucket: [row('https://aws.amazon.com/s3/pricing/', 'writes_per_run', WRITES)],
  'r2-free': [row(R2, 'bytes', 10 * GB), row(R2, 'writes_per_run', WRITES), row(R2, 'writes_per_month', 1_000_000)],
} as const satisfies Readonly<Record<string, readonly HostLimit[]>>
export type Host = keyof typeof HOST_LIMITS

/** What the plan of a host says beside its limits. */
export const HOST_TERMS: Readonly<Record<string, string | undefined>> = {
  netlify:
    '300 credits a month pay for production deployments (15 each), transfer (20 a GB) and requests (2 for 10,000) alike; ' +
    'without credits every site of the team is paused. It suits a feed that is deployed less than daily',
  vercel: 'for non-commercial use alone; past a quota the project is paused',
}

/** Hosts that charge for requests and storage. */
export const BUCKET_PRICES: Readonly<Partial<Record<Host, BucketPrices>>> = {
  bucket: {
    writesPerMillion: 5,
    gigabyteMonth: 0.023,
    freeWritesPerMonth: 0,
    freeGigabytes: 0,
    address: 'https://aws.amazon.com/s3/pricing/',
  },
  'r2-free': {
    writesPerMillion: 4.5,
    gigabyteMonth: 0.015,
    freeWritesPerMonth: 1_000_000,
    freeGigabytes: 10,
    address: R2,
  },
}
