import type { MarketContext } from '../market-context.js';
import { latestUs } from '../window/window.js';

/** The end (exclusive) of the rows that an answer may show. */
export const receivedEndUs = ({ asOfUs }: Pick<MarketContext, 'asOfUs'>): number =>
  asOfUs === null ? latestUs + 1 : asOfUs + 1;

/** The part of a window whose rows had been received. It can be empty, with an end before its start. */
export const receivedPart = <W extends { readonly endUs: number }>(
  window: W,
  market: Pick<MarketContext, 'asOfUs'>,
): W => ({ ...window, endUs: Math.min(window.endUs, receivedEndUs(market)) });

/** Metadata of a file: the query, and its data version or `as_of`. With `as_of`, a data version would show later changes. */
export const fileMetadata = (
  query: object,
  { version, asOfUs }: Pick<MarketContext, 'version' | 'asOfUs'>,
): Record<string, string> => ({
  'almanac.query': JSON.stringify(query),
  ...(asOfUs === null ? { 'almanac.data_version': String(version) } : { 'almanac.as_of': String(asOfUs / 1_000_000) }),
});
