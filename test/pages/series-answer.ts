export const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00Z`
export const point = (hour: number, price_usd: number) => ({ timestamp: at(hour), price_usd, volume_24h_usd: null })
/** A week of prices with a gap. */
export const answer = {
  ok: true,
  product: 'Quotetree',
  endpoint: 'history',
  timestamp: at(4),
  sourceStatus: 'ok',
  sourceError: null,
  slug: 'acme',
  days: 7,
  interval: '1h',
  from: at(0),
  to: at(4),
  missing: 2,
  sourceLabel: 'Acme feed',
  replacedBy: null,
  count: 3,
  rows: [point(0, 2), point(1, 4), point(4, 3)],
} as const
