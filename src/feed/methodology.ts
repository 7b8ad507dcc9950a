import type { Methodology } from '../contract/collector.ts'
import { DAILY } from '../contract/daily.ts'
import { PAST_RATES } from '../contract/rates.ts'
import { AGGREGATOR_AUDIT } from './aggregator-audit.ts'
import { AUDIT } from './audit.ts'
import { CHANGE } from './change.ts'
import { CONFIDENCE, FRAGILITY } from './confidence.ts'
import { CONSENSUS } from './consensus.ts'
import { CONTRACTS } from './contract-claims.ts'
import { EXCHANGE_LISTINGS } from './exchange-listings.ts'
import { CONTRACT_PRICES } from './expectations.ts'
import { STALENESS } from './freshness.ts'
import { GATE } from './gate-rules.ts'
import { HEALTH } from './health.ts'
import { IDENTITY, VERIFICATION } from './identify.ts'
import { BOOK, QUALITY } from './market-rows.ts'
import { MATCHING } from './match.ts'
import { PRICE } from './price.ts'
import { QUARANTINE } from './quarantine.ts'
import { RANGES } from './ranges.ts'
import { MOVERS, RANK, WRAPPED } from './rank.ts'
import { RATE_DEPENDENCE } from './rate-dependence.ts'
import { REFERENCE } from './rates.ts'
import { SUPPLY } from './supply.ts'
import { CREDIBLE_VOLUME, WEIGHTS } from './weights.ts'

/** Every rule in words with every number it uses, from where it is used. The version goes up when one of them changes. */
export const METHODOLOGY: Methodology = {
  version: '12',
  rules: {
    identity: IDENTITY,
    contracts: CONTRACTS,
    exchange_listings: EXCHANGE_LISTINGS,
    verification: VERIFICATION,
    matching: MATCHING,
    audit: AUDIT,
    aggregator_audit: AGGREGATOR_AUDIT,
    reference: REFERENCE,
    past_rates: PAST_RATES,
    daily: DAILY,
    rate_dependence: RATE_DEPENDENCE,
    book: BOOK,
    consensus: CONSENSUS,
    credible_volume: CREDIBLE_VOLUME,
    weights: WEIGHTS,
    price: PRICE,
    contract_prices: CONTRACT_PRICES,
    fragility: FRAGILITY,
    confidence: CONFIDENCE,
    change: CHANGE,
    ranges: RANGES,
    staleness: STALENESS,
    quarantine: QUARANTINE,
    supply: SUPPLY,
    quality: QUALITY,
    wrapped: WRAPPED,
    rank: RANK,
    movers: MOVERS,
    health: HEALTH,
    gate: GATE,
  },
}
