import { surround } from './start.tsx'

// The document is complete: only what surrounds it needs a script.
await surround()
