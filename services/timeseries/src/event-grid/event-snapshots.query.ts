import { Reply, type RpcClient } from '@almanac/bus';
import {
  asOfField,
  asOfMeta,
  catalogRpc,
  DomainError,
  readTimeOf,
  secondsOf,
  type timeseriesRpc,
} from '@almanac/contracts';
import type { z } from 'zod';
import { gapPairs, type KnownTimes, priceGapsOf } from '../gaps/market-gaps.js';
import { loadMarkets } from '../as-of/load-markets.js';
import { fileMetadata, receivedEndUs } from '../as-of/received.js';
import type { MarketContext } from '../market-context.js';
import { bodyOf, freshUntilFirst, type ReadDeps, versionOf } from '../read-context.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import { readTable } from '../tables/read-table.js';
import { emptyGridNotice } from './empty-grid.js';
import { type EventDetail, type Grid, gridOf, gridTimes } from './grid.js';
import { gridTables } from './grid-sql.js';

export interface EventSnapshotsDeps extends ReadDeps {
  readonly rpc: Pick<RpcClient, 'call'>;
}

export type EventSnapshotsRequest = z.output<typeof timeseriesRpc.eventSnapshots.input>;
export type EventCaller = Caller & { readonly requestId: string };

/** Answers with the best prices of a page of an event's markets, at the same times. */
export const answerEventSnapshots = async (
  deps: EventSnapshotsDeps,
  request: EventSnapshotsRequest,
  caller: EventCaller,
): Promise<Reply> => {
  const time = readTimeOf(request.as_of);
  const { event_id, limit, cursor, as_of } = request;
  const detail = await deps.rpc.call(catalogRpc.eventDetail, {
    input: { event_id, limit, cursor, as_of },
    context: { requestId: caller.requestId, timeoutMs: caller.remainingMs },
  });
  // A catalog of a release that does not know as_of answers about the present.
  if (detail.as_of !== asOfField(time.asOfUs).as_of) {
    throw new DomainError('unavailable', 'The catalogue cannot answer as of a time yet. Try again in a few minutes.');
  }
  const grid = gridOf(request, detail.event, time);
  const markets = await loadMarkets(deps, { tickers: detail.markets.map(({ ticker }) => ticker), time }, caller);
  const known = await deps.gaps.of(markets, caller);
  const version = versionOf(markets);
  const { format: form, numbers, fill } = request;
  const figures = figuresOf(grid, detail, request);
  const table = await readTable(
    deps.rows,
    {
      form,
      numbers,
      table: gridTables[form === 'json' ? 'arrays' : 'rows'][fill],
      params: paramsOf(grid, fill, { markets, known, receivedEndUs: receivedEndUs(time) }),
      metadata: fileMetadata({ ...figures, fill, numbers }, { version, ...time }),
    },
    caller,
  );
  const empty = emptyGridNotice(grid, markets, fill);
  const meta = {
    version,
    ...freshUntilFirst(markets),
    ...asOfMeta(time.asOfUs),
    cacheable: !grid.dependsOnNow,
    ...(empty && { notices: [empty] }),
  };
  const echo = asOfField(time.asOfUs);
  if (form !== 'json') return new Reply(table.bytes, { ...meta, head: { ...figures, count: table.count, ...echo } });
  const head = { ...figures, fill, count: table.count, ts: gridTimes(grid), ...echo };
  return new Reply(bodyOf(form, head, ['markets', table]), meta);
};

const figuresOf = (grid: Grid, { event, has_more, next_cursor }: EventDetail, { step_ms }: EventSnapshotsRequest) => ({
  event_ticker: event.event_ticker,
  start_ts: secondsOf(grid.startUs),
  end_ts: secondsOf(grid.endUs),
  step_ms,
  markets_n: event.markets_n ?? 0,
  has_more: has_more || grid.goesOn,
  next_cursor,
  next_start_ts: secondsOf(grid.goesOn ? grid.endUs : null),
});

interface Markets {
  readonly markets: readonly MarketContext[];
  readonly known: readonly KnownTimes[];
  /** No later row counts. */
  readonly receivedEndUs: number;
}

const paramsOf = (
  { firstUs, stepUs, times }: Grid,
  fill: EventSnapshotsRequest['fill'],
  { markets, known, receivedEndUs: endUs }: Markets,
) => {
  const lastUs = firstUs + Math.max(0, times - 1) * stepUs;
  return {
    tickers: markets.map(({ state }) => state.ticker),
    gaps: markets.map(({ times: { nowUs } }, at) => {
      const own = known[at];
      return own === undefined ? [] : gapPairs(priceGapsOf(own), { startUs: firstUs, endUs: lastUs + 1, nowUs });
    }),
    first_us: firstUs,
    step_us: stepUs,
    times,
    last_us: Math.min(lastUs, endUs - 1),
    from_us: fill === 'none' ? firstUs - stepUs : 0,
  };
};
