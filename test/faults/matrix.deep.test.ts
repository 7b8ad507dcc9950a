import { FAULTS } from './upstream.ts'
import { describeFaults, everyCase } from './matrix.ts'

describeFaults(everyCase(), FAULTS)
