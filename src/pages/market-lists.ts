/** Lists of the market page, in the order of its tabs. */
export const LISTS = ['all', 'gainers', 'losers', 'trending', 'watchlist'] as const
export type List = (typeof LISTS)[number]
