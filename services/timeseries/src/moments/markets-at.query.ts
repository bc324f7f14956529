import { Reply } from '@almanac/bus';
import { asOfField, boundOf, DomainError, momentPairsMax, readTimeOf, type timeseriesRpc } from '@almanac/contracts';
import type { z } from 'zod';
import { knownFromUs, type KnownTimes, priceGapsOf } from '../gaps/market-gaps.js';
import { loadMarkets } from '../as-of/load-markets.js';
import { fileMetadata, receivedEndUs } from '../as-of/received.js';
import { bodyOf, freshUntilFirst, type ReadDeps, versionOf } from '../read-context.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import { readTable } from '../tables/read-table.js';
import { marketsAtTable } from './markets-at-sql.js';

export type MarketsAtRequest = z.output<typeof timeseriesRpc.marketsAt.input>;

/** Answers with the last observation of each market at or before each time, all from one query. */
export const answerMarketsAt = async (deps: ReadDeps, request: MarketsAtRequest, caller: Caller): Promise<Reply> => {
  const tickers = [...new Set(request.tickers)];
  const atUs = [...new Set(request.at_ts.map((seconds) => boundOf('at_ts', seconds) ?? 0))];
  checkPairs(tickers.length * atUs.length);
  const time = readTimeOf(request.as_of);
  const markets = await loadMarkets(deps, { tickers, time }, caller);
  const known = await deps.gaps.of(markets, caller);
  const { format: form, numbers, fields } = request;
  const version = versionOf(markets);
  const table = await readTable(
    deps.rows,
    {
      form,
      numbers,
      table: marketsAtTable(fields),
      params: { tickers, ...momentParams(atUs, known), last_us: Math.min(Math.max(...atUs), receivedEndUs(time) - 1) },
      metadata: fileMetadata({ tickers, at_ts: request.at_ts, fields, numbers }, { version, ...time }),
    },
    caller,
  );
  const head = { count: table.count, has_more: false, ...asOfField(time.asOfUs) };
  const meta = { version, ...freshUntilFirst(markets) };
  return new Reply(bodyOf(form, head, ['snapshots', table]), form === 'json' ? meta : { ...meta, head });
};

const checkPairs = (count: number): void => {
  if (count <= momentPairsMax) return;
  const [sent, most] = [count, momentPairsMax].map((number) => number.toLocaleString('en'));
  throw new DomainError('invalid_input', `The request has ${sent} pairs of a market and a time. Send at most ${most}.`);
};

/** Without a gap before any moment, the list of times is empty, since it may be as long as the pairs. */
const momentParams = (atUs: readonly number[], known: readonly KnownTimes[]) => {
  const fromUs = known.flatMap((times) => {
    const gaps = priceGapsOf(times);
    return atUs.map((us) => (gaps.length === 0 ? 0 : knownFromUs(gaps, us)));
  });
  return {
    at_us: atUs,
    from_us: fromUs.some((us) => us > 0) ? fromUs : [],
    negative_us: atUs.map((us) => -us).toSorted((a, b) => a - b),
  };
};
