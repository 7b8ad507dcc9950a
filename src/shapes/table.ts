import { coingecko } from './coingecko.ts'
import { cryptocompare } from './cryptocompare.ts'
import type { Shape } from './shape.ts'

/** The APIs whose answers a host with a function imitates. */
export const SHAPES: readonly Shape[] = [coingecko, cryptocompare]

/** Whether a path belongs to the shape of another API. */
export const isShaped = (pathname: string): boolean => SHAPES.some(({ prefix }) => pathname.startsWith(`${prefix}/`))
