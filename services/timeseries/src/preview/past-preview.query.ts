import { Reply } from '@almanac/bus';
import { asOfField, type ReadTime } from '@almanac/contracts';
import { type VenueRanges, withVenueTimesOnly } from '../candles/venue-ranges.js';
import { loadMarket, type MarketDeps } from '../as-of/load-markets.js';
import { freshUntil } from '../market-context.js';
import type { ArchiveRows } from '../rows/archive-rows.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import { noticesOfPreview, preparePreview, previewBytes, previewWindow } from './prepare-preview.js';

export interface PastPreviewDeps extends MarketDeps {
  readonly rows: ArchiveRows;
  readonly venueRanges: VenueRanges;
}

/**
 * The preview as of a past time. It is prepared for the request: there is one for every time, so preparing or caching them
 * ahead would help few readers.
 */
export const answerPastPreview = async (
  { rows, venueRanges, ...deps }: PastPreviewDeps,
  { ticker, time }: { readonly ticker: string; readonly time: ReadTime },
  caller: Caller,
): Promise<Reply> => {
  const loaded = await loadMarket(deps, { ticker, time }, caller);
  const market = await withVenueTimesOnly(venueRanges, loaded, caller);
  const [ranges = []] = await venueRanges([market], caller);
  const body = await preparePreview(rows, { market, window: previewWindow(market), ranges }, caller);
  const origin = { cached: false, cache_source: null, ...asOfField(market.asOfUs) };
  const notices = noticesOfPreview(body);
  return new Reply(previewBytes(market, { caller, origin, body }), {
    ticker,
    version: market.version,
    ...freshUntil(market),
    ...(notices.length > 0 && { notices }),
  });
};
