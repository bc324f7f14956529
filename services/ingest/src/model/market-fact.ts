import type { CatalogueFact } from '@almanac/contracts';

export type MarketFact = Extract<CatalogueFact, { kind: 'market' }>;
