import { describeFaults, everyCase } from './matrix.ts'

describeFaults(everyCase())
