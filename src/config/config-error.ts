/** A configuration is invalid. The message has a sentence for each fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
