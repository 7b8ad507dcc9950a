import * as z from 'zod'
import { RETENTION } from '../archive/retention.ts'
import { AlertRule } from '../contract/alerts.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { ECOSYSTEM, PRODUCT, isSampleLabel } from '../contract/product.ts'
import { RIGHTS } from '../contract/rights.ts'
import { SiteAddress, Slug, line } from '../contract/words.ts'
import { LEAST_KEPT_DAYS } from '../history/closes.ts'
import { HOST_BUDGETS } from '../hosting/budgets.ts'
import { COLOURS } from '../pages/brand.ts'
import { CADENCE_MS } from '../run/run.ts'
import { OVERDUE_MINUTES } from '../service/health.ts'
import { Collectors } from './collectors.ts'

const Hex = z.string().regex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i)
const Colour = z.union([Hex, z.strictObject({ light: Hex, dark: Hex })])

const Variable = z.string().regex(/^[A-Z][A-Z0-9_]*$/)

/** The settings of a publisher. An absent one has its default. */
export const Config = z.strictObject({
  // It stands in configurations of hosts, each with quoting of its own.
  product: line(60)
    .regex(/^[^"'`\\${}<>]+$/)
    .default(PRODUCT),
  label: line(100)
    .refine((text) => !isSampleLabel(text))
    .nullable()
    .default(null),
  site: SiteAddress.nullable().default(null),
  prefix: z
    .string()
    .max(60)
    .regex(/^[a-z0-9-]+(\/[a-z0-9-]+)*$/)
    .default(API_FOLDER),
  sources: z
    .strictObject({ only: z.array(z.string()).min(1).nullable().default(null), off: z.array(z.string()).default([]) })
    .prefault({}),
  listings: z.int().min(1).nullable().default(null),
  leastListings: z.int().min(0).nullable().default(null),
  cadenceMinutes: z
    .int()
    .min(1)
    .max(1440)
    .default(CADENCE_MS / 60_000),
  overdueMinutes: z.int().min(0).max(43_200).default(OVERDUE_MINUTES),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable()
    .default(null),
  collectors: Collectors.nullable().default(null),
  rights: z.array(z.enum(RIGHTS)).min(1).nullable().default(null),
  historyRequests: z.int().min(0).nullable().default(null),
  closesDays: z.int().min(LEAST_KEPT_DAYS).nullable().default(null),
  maxStateAgeHours: z.int().min(0).nullable().default(null),
  archive: z
    .strictObject({
      halfHourlyDays: z.int().min(0).default(RETENTION.halfHourlyDays),
      hourlyDays: z.int().min(0).default(RETENTION.hourlyDays),
    })
    .prefault({}),
  host: z.enum(Object.keys(HOST_BUDGETS)).nullable().default(null),
  compress: z.boolean().default(false),
  pages: z
    .strictObject({
      logo: z.string().min(1).nullable().default(null),
      colours: z.partialRecord(z.enum(COLOURS), Colour).default({}),
      currencies: z
        .array(z.string().regex(/^[A-Z0-9]{2,12}$/))
        .min(1)
        .nullable()
        .default(null),
    })
    .prefault({}),
  ecosystem: z
    .strictObject({ name: Slug.default(ECOSYSTEM.name), title: line(100).default(ECOSYSTEM.title) })
    .prefault({}),
  registry: z
    .union([z.string().min(1), z.array(z.looseObject({ slug: Slug }))])
    .nullable()
    .default(null),
  alerts: z.array(AlertRule).max(100).default([]),
  keys: z
    .strictObject({
      coingecko: z
        .strictObject({
          variable: Variable.default('COINGECKO_API_KEY'),
          plan: z.enum(['demo', 'pro']).default('demo'),
        })
        .prefault({}),
    })
    .prefault({}),
})
export type Config = z.infer<typeof Config>
/** What a configuration file may say. */
export type ConfigInput = z.input<typeof Config>
