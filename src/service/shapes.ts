import { coingecko } from './coingecko.ts'
import { cryptocompare } from './cryptocompare.ts'
import { PRICE_TEXTS } from './price-text.ts'
import type { Shape } from './shape.ts'

/** The APIs whose answers a host with a function imitates. */
export const SHAPES: readonly Shape[] = [coingecko, cryptocompare]

/** Whether a path is answered in the shape of another API, or as plain text. */
export const isShaped = (pathname: string): boolean =>
  PRICE_TEXTS.path.test(pathname) || SHAPES.some(({ prefix }) => pathname.startsWith(`${prefix}/`))
