import * as z from 'zod'
import type { Profile } from './source.ts'
import { Id, Link, OptionalText } from './wire.ts'

const Links = z.array(Link).catch([])
// Old descriptions carry `<a href>`; the words between the tags are the text.
const Prose = z.preprocess(
  (text) => (typeof text === 'string' ? text.replace(/<[^<>]*>/g, '') : text),
  OptionalText(4000),
)

/** `/coins/{id}`. Only the id is required: each other member is read by itself, and one that is odd is no data. */
export const Detail = z.object({
  id: Id,
  asset_platform_id: z.string().nullish(),
  categories: z.array(OptionalText(80)).catch([]),
  description: z.object({ en: Prose }).catch({ en: null }),
  links: z.preprocess(
    (links) => links ?? {},
    z.object({
      homepage: Links,
      whitepaper: Link,
      chat_url: Links,
      blockchain_site: Links,
      repos_url: z.object({ github: Links }).catch({ github: [] }),
      twitter_screen_name: z.string().regex(/^\w+$/).nullable().catch(null),
      telegram_channel_identifier: z.string().regex(/^\w+$/).nullable().catch(null),
    }),
  ),
  detail_platforms: z
    .record(
      z.string(),
      z.object({ decimal_place: z.int().min(0).max(255).nullable().catch(null), contract_address: OptionalText(200) }),
    )
    .catch({}),
})

const isText = (text: string | null): text is string => text !== null

export function profileOf({ id, links, ...detail }: z.infer<typeof Detail>): Profile {
  const { asset_platform_id: platform, detail_platforms: platforms } = detail
  const first = (urls: readonly (string | null)[]) => urls.find(isText) ?? null
  return {
    kind: 'profile',
    id,
    asset_type: platform === undefined ? null : platform ? 'token' : 'coin',
    description: detail.description.en,
    tags: detail.categories.filter(isText),
    links: {
      website: first(links.homepage),
      whitepaper: links.whitepaper,
      source_code: first(links.repos_url.github),
      twitter: links.twitter_screen_name && `https://x.com/${links.twitter_screen_name}`,
      telegram: links.telegram_channel_identifier && `https://t.me/${links.telegram_channel_identifier}`,
      discord: links.chat_url.filter(isText).find((url) => /^https:\/\/discord\.(gg|com)\//.test(url)) ?? null,
    },
    explorers: [...new Set(links.blockchain_site.filter(isText))],
    contracts: Object.entries(platforms).flatMap(
      ([platform, { contract_address: address, decimal_place: decimals }]) =>
        platform === '' || address === null ? [] : [{ platform, address, decimals }],
    ),
  }
}
