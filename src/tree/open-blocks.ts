import { type Place, placesIn } from '../contract/blocks.ts'

/** Reads blocks. */
interface BlockFiles {
  /** Returns a block; null if it is missing, damaged or edited. */
  whole(file: string): Buffer | null
  /** Returns the text at a place in a block; null if it is gone. */
  part(file: string, place: Place): string | null
}

/** Number of documents whose texts are kept: a run asks for those of one listing again and again. */
const KEPT_TEXTS = 16

/**
 * The documents in the blocks of a tree. Each block is read and searched once. After that only its documents are read:
 * a run takes the listings by rank, and their blocks follow from hashes.
 */
export class OpenBlocks {
  readonly #files: BlockFiles
  readonly #places = new Map<string, ReadonlyMap<string, Place>>()
  readonly #texts = new Map<string, string>()

  constructor(files: BlockFiles) {
    this.#files = files
  }

  /** Returns the files of the documents in a block; none if it is missing or damaged. */
  documents(block: string): readonly string[] {
    return [...this.#placesOf(block).keys()]
  }

  /** Returns the text of a document in a block, or null if it is not there. */
  read(block: string, file: string): string | null {
    const kept = this.#texts.get(file)
    if (kept !== undefined) return kept
    const place = this.#placesOf(block).get(file)
    const text = place ? this.#files.part(block, place) : null
    if (text === null) return null
    const [oldest] = this.#texts.keys()
    if (this.#texts.size >= KEPT_TEXTS && oldest !== undefined) this.#texts.delete(oldest)
    this.#texts.set(file, text)
    return text
  }

  #placesOf(block: string): ReadonlyMap<string, Place> {
    const known = this.#places.get(block)
    if (known) return known
    const bytes = this.#files.whole(block)
    const found = bytes === null ? [] : [...placesIn(bytes.toString('latin1'))]
    const places = new Map(found.map(([file, place]) => [apart(file), place]))
    this.#places.set(block, places)
    return places
  }
}

/** Returns a text of its own: V8 would keep the whole block that a name was cut from. */
const apart = (name: string): string => Buffer.from(name, 'latin1').toString('latin1')
