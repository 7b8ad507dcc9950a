/** A registry is invalid. The message names the entry, the member and the problem. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
}
