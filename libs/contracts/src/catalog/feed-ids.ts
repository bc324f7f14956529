import { z } from 'zod';

/**
 * How a venue's feeds and chain name a market and its two outcomes, where they do not use its ticker: Polymarket's condition and
 * tokens. YES is the first token of the market.
 */
const feedId = z.string().min(1).max(128).nullable();
export const feedIds = z.object({ condition: feedId, yes: feedId, no: feedId });
export type FeedIds = z.infer<typeof feedIds>;
