import * as z from 'zod'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { ECOSYSTEM, PRODUCT, isSampleLabel } from '../core/contract/product.ts'
import { RIGHTS } from '../core/contract/rights.ts'
import { PrefixFolder, SiteAddress, Slug, line } from '../core/contract/words.ts'
import { HOST_BUDGETS } from '../delivery/budgets.ts'
import { COLOURS } from '../pages/brand.ts'
import { CADENCE_MS } from '../core/run/run.ts'

export interface SettingSpec {
  readonly path: string
  readonly about: string
  /** What it takes, as the end of a sentence: "takes …". */
  readonly takes: string
  /** What happens without it, where its default says too little. */
  readonly absent?: string
  readonly option?: string
  readonly isList?: true
  readonly variable?: string
}

const Hex = z.string().regex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i)
const Colour = z.union([Hex, z.strictObject({ light: Hex, dark: Hex })])

type Described = Omit<SettingSpec, 'path'>

const DESCRIPTIONS = z.registry<Described>()

const setting = <Schema extends z.ZodType>(schema: Schema, described: Described): Schema => {
  DESCRIPTIONS.add(schema, described)
  z.globalRegistry.add(schema, { description: described.about })
  return schema
}

const orNone = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null)

const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => z.int().min(least).max(most)

/** The settings of a publisher, in the order of the file. An absent one has its default. */
export const Config = z.strictObject({
  product: setting(
    // It is printed into configurations of hosts, each with quoting of its own.
    line(60)
      .regex(/^[^"'`\\${}<>]+$/)
      .default(PRODUCT),
    {
      about: 'name of the service, in every answer and on every page',
      takes: 'a name of at most 60 characters, without quotes, braces, brackets, $ and \\',
    },
  ),
  label: setting(orNone(line(100).refine((text) => !isSampleLabel(text))), {
    about: 'label of live data',
    takes: 'a text of at most 100 characters that does not begin with "sample"',
    absent: 'public preview',
  }),
  site: setting(orNone(SiteAddress), {
    about: 'address of the published site, with its base path',
    takes: 'a URL that begins with http:// or https://, without credentials, query and fragment',
    absent: 'pages do not name their own address',
    variable: 'SITE_URL',
  }),
  prefix: setting(PrefixFolder.default(API_FOLDER), {
    about: 'path of the API below the site, set before the first publication',
    takes: 'lower-case letters, digits, dashes and slashes, such as "v1/quotes"',
  }),
  only: setting(orNone(z.array(line(200)).min(1).max(5000)), {
    about:
      'listings to publish; the first run of a day asks the sources for all, since identities are decided among all',
    takes: 'a list of slugs, of contracts such as "ethereum:0x…", or of symbols that one listing alone has',
    absent: 'all',
  }),
  sources: z
    .strictObject({
      only: setting(orNone(z.array(z.string()).min(1)), {
        about: 'sources to collect from',
        takes: 'a list of source ids',
        absent: 'all',
        option: 'only',
        isList: true,
      }),
      off: setting(z.array(z.string()).default([]), { about: 'sources to leave out', takes: 'a list of source ids' }),
    })
    .prefault({}),
  listings: setting(whole(1).default(1250), {
    about: 'listings to request from each aggregator; a feed that names its listings requests what each gives at once',
    takes: 'a whole number of 1 or more',
    option: 'listings',
  }),
  cadenceMinutes: setting(whole(1, 1440).default(CADENCE_MS / 60_000), {
    about: 'minutes between runs; change the cron line of the workflow with it',
    takes: 'a whole number from 1 to 1440',
    option: 'cadence',
  }),
  country: setting(orNone(z.string().regex(/^[A-Z]{2}$/)), {
    about: 'country of the machine; sources that block it are left out or asked elsewhere',
    takes: 'two capital letters, such as "US"',
    absent: 'unknown',
    option: 'country',
  }),
  rights: setting(orNone(z.array(z.enum(RIGHTS)).min(1)), {
    about: 'classes of rights that may be published',
    takes: `a list of ${RIGHTS.join(', ')}`,
    absent: 'all',
    option: 'rights',
    isList: true,
  }),
  candles: setting(orNone(z.boolean()), {
    about: 'whether bars of venues are requested and published, as candles and as the daily bars of all past days',
    takes: 'true or false',
    absent: 'true, or false where `only` names the listings',
  }),
  host: setting(orNone(z.enum(Object.keys(HOST_BUDGETS))), {
    about: 'host whose limits a run keeps',
    takes: `one of ${Object.keys(HOST_BUDGETS).join(', ')}`,
    absent: 'no limits',
    option: 'budget',
  }),
  compress: setting(z.boolean().default(false), {
    about: 'publish each document as .gz and .br too, for nginx and other servers that send such files',
    takes: 'true or false',
    option: 'compress',
  }),
  pages: z
    .strictObject({
      logo: setting(orNone(z.string().min(1)), {
        about: 'logo and favicon',
        takes: 'the path of an SVG file',
        absent: 'the built-in one',
      }),
      colours: setting(z.partialRecord(z.enum(COLOURS), Colour).default({}), {
        about: 'colours of the pages',
        takes: `colours by name (${COLOURS.join(', ')}), each "#rrggbb" or { light: "#rrggbb", dark: "#rrggbb" }`,
      }),
      currencies: setting(orNone(z.array(z.string().regex(/^[A-Z0-9]{2,12}$/)).min(1)), {
        about: 'currencies that the pages offer, in this order',
        takes: 'a list of symbols in capitals, such as ["EUR", "BTC"]',
        absent: 'all that have a rate',
      }),
    })
    .prefault({}),
  ecosystem: z
    .strictObject({
      name: setting(Slug.default(ECOSYSTEM.name), {
        about: "endpoint of the publisher's own assets",
        takes: 'lower-case letters, digits and single dashes, no name of another endpoint',
      }),
      title: setting(line(100).default(ECOSYSTEM.title), {
        about: "what the publisher's own assets are called",
        takes: 'a text of at most 100 characters',
      }),
    })
    .prefault({}),
  registry: setting(orNone(z.union([z.string().min(1), z.array(z.looseObject({ slug: Slug }))])), {
    about: "the publisher's own reviewed assets",
    takes: 'the path of a folder with one file each, or a list of assets with slug, symbol and name',
    absent: 'the built-in assets alone',
  }),
})
export type Config = z.infer<typeof Config>
export type ConfigInput = z.input<typeof Config>

export const SETTINGS: readonly SettingSpec[] = settingsIn(Config)

function settingsIn(group: z.ZodObject, parent = ''): SettingSpec[] {
  return Object.entries(group.shape).flatMap(([name, member]) => {
    const described = DESCRIPTIONS.get(member)
    if (described) return { path: parent + name, ...described }
    const inner = member instanceof z.ZodPrefault ? member.unwrap() : member
    return inner instanceof z.ZodObject ? settingsIn(inner, `${parent}${name}.`) : []
  })
}
