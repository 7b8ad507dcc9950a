import { coingecko } from './coingecko.ts'
import { cryptocompare } from './cryptocompare.ts'
import { PRICE_TEXTS } from './price-text.ts'
import type { Shape } from './shape.ts'

/** Folders of the site where the other APIs are imitated, unless a publisher names others; null: nowhere. */
export const SHAPE_FOLDERS = { coingecko: 'api/v3', cryptocompare: 'data' } as const
export type ShapeFolders = Readonly<Record<keyof typeof SHAPE_FOLDERS, string | null>>

/** An API that is imitated below a path. */
export interface PlacedShape extends Shape {
  readonly prefix: string
}

/** Returns the APIs that a host with a function imitates. */
export const shapesIn = (folders: ShapeFolders = SHAPE_FOLDERS): readonly PlacedShape[] =>
  [
    { shape: coingecko, folder: folders.coingecko },
    { shape: cryptocompare, folder: folders.cryptocompare },
  ].flatMap(({ shape, folder }) => (folder === null ? [] : [{ ...shape, prefix: `/${folder}` }]))

/** Whether a path is answered in the shape of another API, or as plain text. */
export const isShaped = (pathname: string, shapes: readonly PlacedShape[]): boolean =>
  PRICE_TEXTS.path.test(pathname) || shapes.some(({ prefix }) => pathname.startsWith(`${prefix}/`))

/** Folders of a site whose requests without a file go to the function, besides that of the API. */
export const shapedFolders = (folders: ShapeFolders): readonly string[] => [
  PRICE_TEXTS.folder,
  ...Object.values(folders).filter((folder) => folder !== null),
]
