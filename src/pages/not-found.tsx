import { surround } from './start.tsx'

await surround()
