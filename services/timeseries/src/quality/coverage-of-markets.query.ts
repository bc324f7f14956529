import { asOfField, type InputOf, type OutputOf, readTimeOf, type timeseriesRpc } from '@almanac/contracts';
import type { ReadDeps } from '../read-context.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import { coverageIn, gapsIn, million, shareOf } from './market-coverage.js';
import { knownMarkets } from './ranked-items.js';

type Contract = typeof timeseriesRpc.coverageOfMarkets;

/** The coverage of whole markets, until now for live ones. A list of the catalogue asks for it. */
export const answerCoverageOfMarkets = async (
  deps: ReadDeps,
  { tickers, as_of: asOf }: InputOf<Contract>,
  caller: Caller,
): Promise<OutputOf<Contract>> => {
  const time = readTimeOf(asOf);
  const range = { startUs: Number.MIN_SAFE_INTEGER, endUs: time.nowUs };
  const known = await knownMarkets(deps, { tickers, time, caller });
  const markets = known.map((one) => {
    const share = shareOf(coverageIn(one, range));
    return { covered_share: share === null ? null : share / million, has_gaps: gapsIn(one, range).length > 0 };
  });
  return { markets, ...asOfField(time.asOfUs) };
};
