import { API_FOLDER, PREFIX } from '../../src/contract/prefix.ts'
import { ECOSYSTEM, PRODUCT } from '../../src/contract/product.ts'
import type { Publisher } from '../../src/endpoints/ecosystem.ts'
import { SHAPE_FOLDERS, type ShapeFolders, shapedFolders } from '../../src/service/shapes.ts'
import { type HostProgram, hostProgram } from '../bundled.ts'
import { stating } from '../stating.ts'

/** Returns the program of a host as one file that answers a publisher's API, and imitates others in some folders. */
export const bundle = async (
  name: HostProgram,
  publisher: Publisher = { product: PRODUCT, ecosystem: ECOSYSTEM },
  shapes: ShapeFolders = SHAPE_FOLDERS,
): Promise<string> =>
  stating({ API_PREFIX: PREFIX, PUBLISHER: publisher, SHAPES: shapes }, await hostProgram(name)) +
  (name === 'netlify' ? routed(shapes) : '')

/**
 * Netlify serves existing files itself, and routes every other request below these paths to the function. It reads them from
 * the text of the program without running it, so they are literals.
 */
function routed(shapes: ShapeFolders): string {
  const path = [PREFIX, ...[API_FOLDER, ...shapedFolders(shapes)].map((folder) => `/${folder}/*`)]
  return `export const config = ${JSON.stringify({ path, preferStatic: true })};\n`
}
