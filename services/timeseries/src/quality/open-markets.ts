import { catalogRpc, DomainError, type Notice, qualityMarketsMax, type TimeRange } from '@almanac/contracts';
import type { QualityCaller, QualityDeps, QualityRequest } from './quality.query.js';

/** The markets of the target that were open in the range. Throws `invalid_window` for too many. */
export const openMarkets = async (
  { rpc }: Pick<QualityDeps, 'rpc'>,
  { series, event, category, venue, as_of }: QualityRequest,
  { range, caller }: { readonly range: TimeRange; readonly caller: QualityCaller },
): Promise<{ readonly tickers: readonly string[]; readonly notices: readonly Notice[] }> => {
  const times = { start_us: range.startUs, end_us: range.endUs };
  const input = { series, event, category, venue, ...times, limit: qualityMarketsMax + 1, as_of };
  const found = await rpc.call(catalogRpc.marketsOpenIn, {
    input,
    context: { requestId: caller.requestId, timeoutMs: caller.remainingMs },
  });
  // A catalog that does not know as_of answers about the present.
  if (found.as_of !== as_of) {
    throw new DomainError('unavailable', 'The catalogue cannot answer as of a time yet. Try again in a few minutes.');
  }
  if (found.tickers.length > qualityMarketsMax) {
    const most = qualityMarketsMax.toLocaleString('en');
    throw new DomainError(
      'invalid_window',
      `More than ${most} markets were open. Send fewer days, or a smaller target.`,
    );
  }
  const name = event ? 'event' : series ? 'series' : category ? 'category' : 'venue';
  const { unknown } = found;
  return {
    tickers: found.tickers,
    notices: unknown === null ? [] : [{ code: 'unknown_value', ...unknown, loc: ['query', name] }],
  };
};
