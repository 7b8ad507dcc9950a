import { NO_FIGURES } from '../../src/core/sources/aggregator.ts'
import type { Sighting, Source } from '../../src/core/sources/source.ts'

/** What a listing can be called: long, from right to left, markup, an entity, a formula. By slug: symbol, name and price. */
const STRANGE = {
  'long-name': [
    'LONGNAMECOIN',
    'An Extraordinarily Long and Thoroughly Pleasant Name of a Token of Eighty Letters',
    0.5,
  ],
  'unbroken-name': ['UNBROKENTICKERSYM', 'W'.repeat(80), 12],
  'right-to-left': ['سكة', 'العملة الرقمية العربية الجديدة', 3],
  markup: ['<B>', `<img src=x onerror="document.title='broken'">`, 7],
  script: ['SCR', "</script><script>document.title='broken'</script>", 8],
  entity: ['AMP', `Tom &amp; "Jerry" ]]> --> 'x'`, 9],
  formula: ['=1+1', '=HYPERLINK("https://formula.example")', 10],
  'tiny-price': ['TINY', 'Tiny price', 1e-18],
  'huge-price': ['HUGE', 'Huge price', 1e9],
  'no-figures': ['NOTHING', 'Nothing but a name', null],
} as const satisfies Readonly<Record<string, readonly [string, string, number | null]>>

export const STRANGE_SLUGS: readonly string[] = Object.keys(STRANGE)

/** Returns the sources of the sample whose aggregators also list what is strange, with small market caps. */
export const withStrange = (sources: readonly Source[], at: number): readonly Source[] =>
  sources.map((source) =>
    source.type !== 'aggregator'
      ? source
      : { ...source, observe: async (...asked) => [...(await source.observe(...asked)), ...strange(source.id, at)] },
  )

const strange = (source: string, at: number): Sighting[] =>
  Object.entries(STRANGE).map(([slug, [symbol, name, price_usd]]) => ({
    ...NO_FIGURES,
    ...(price_usd !== null && {
      price_usd,
      circulating_supply: 1 / price_usd,
      volume_24h_usd: 1000,
      percent_change_24h: 1,
    }),
    kind: 'sighting',
    id: `${source}-${slug}`,
    slugs: [slug],
    symbol,
    name,
    at,
  }))
