/** Returns a module of JavaScript with the constants above it that it names. */
export const stating = (constants: Readonly<Record<string, unknown>>, text: string): string =>
  Object.entries(constants)
    .flatMap(([name, value]) => (text.includes(name) ? [`const ${name}=${JSON.stringify(value)};\n`] : []))
    .join('') + text
