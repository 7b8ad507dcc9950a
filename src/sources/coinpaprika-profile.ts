import * as z from 'zod'
import type { Profile } from './source.ts'
import { Id, Link, OptionalText } from './wire.ts'

const Links = z.array(Link).catch([])

/** `/v1/coins/{id}`. Only the id is required: each other member is read by itself, and one that is odd is no data. */
export const Detail = z.object({
  id: Id,
  type: z.enum(['coin', 'token']).nullable().catch(null),
  description: OptionalText(4000).catch(null),
  tags: z.array(z.object({ name: OptionalText(80) })).catch([]),
  links: z.preprocess((links) => links ?? {}, z.object({ website: Links, source_code: Links, explorer: Links })),
  links_extended: z.array(z.object({ url: Link, type: z.string() })).catch([]),
  whitepaper: z.object({ link: Link }).catch({ link: null }),
})

const isText = (text: string | null): text is string => text !== null

export function profileOf({ id, type, links, ...detail }: z.infer<typeof Detail>): Profile {
  const first = (urls: readonly (string | null)[]) => urls.find(isText) ?? null
  // Chats of all kinds stand in one list; the host tells them apart.
  const chats = detail.links_extended.filter(({ type }) => type === 'chat' || type === 'telegram' || type === 'discord')
  const chatOn = (hosts: RegExp) => first(chats.map(({ url }) => (url !== null && hosts.test(url) ? url : null)))
  return {
    kind: 'profile',
    id,
    asset_type: type,
    description: detail.description,
    tags: detail.tags.map(({ name }) => name).filter(isText),
    links: {
      website: first(links.website),
      whitepaper: detail.whitepaper.link,
      source_code: first(links.source_code),
      twitter: first(detail.links_extended.filter(({ type }) => type === 'twitter').map(({ url }) => url)),
      telegram: chatOn(/^https:\/\/(t\.me|telegram\.me)\//),
      discord: chatOn(/^https:\/\/discord\.(gg|com)\//),
    },
    explorers: [...new Set(links.explorer.filter(isText))],
    // Contracts come with the list, for every token at once.
    contracts: [],
  }
}
