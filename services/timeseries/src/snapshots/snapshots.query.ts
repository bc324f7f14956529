import { Reply, StreamReply } from '@almanac/bus';
import { type RpcContext } from '@almanac/bus/server';
import { asOfField, type Notice, readTimeOf, type ReplyMeta, secondsOf, type timeseriesRpc } from '@almanac/contracts';
import type { z } from 'zod';
import { loadMarket, type MarketDeps } from '../as-of/load-markets.js';
import { fileMetadata, receivedPart } from '../as-of/received.js';
import { freshUntil, type MarketContext, loadMarketContext } from '../market-context.js';
import { withRows } from '../read-context.js';
import { clampedNotice } from '../notices/clamped-notice.js';
import { emptyWindowNotice } from '../notices/empty-window.js';
import {
  checkedBounds,
  type CheckedBounds,
  nextStartUs,
  type Window,
  wholeWindowOf,
  windowOf,
} from '../window/window.js';
import type { ArchiveRows, HasBook } from '../rows/archive-rows.js';
import { type BookGrant, bookGrant, type BookRights } from './book-access.js';
import { bulkSnapshots } from '../rows/bulk-snapshots.js';
import type { RowsInfo } from '../rows/rows-bytes.js';
import type { RowStreams } from '../rows/stream-rows.js';
import type { MarketRows } from '../slabs/market-rows.js';
import { slabMarketOf } from '../slabs/make-slabs.js';

export interface SnapshotsDeps extends BookRights, MarketDeps {
  readonly rows: MarketRows;
  readonly archive: Pick<ArchiveRows, 'parsed'>;
  readonly streams: RowStreams;
}

export type SnapshotsRequest = z.output<typeof timeseriesRpc.snapshots.input>;
export type Caller = Pick<RpcContext, 'plan' | 'account' | 'signal' | 'remainingMs'>;

/**
 * Answers with the stored observations of a market's window. As JSON, the rows follow a small head in the same object.
 * In the other forms the body has only the rows, and the head travels as metadata. A `whole` window has any length, and
 * its rows stream.
 */
export const answerSnapshots = async (
  deps: SnapshotsDeps,
  request: SnapshotsRequest,
  caller: Caller,
): Promise<Reply | StreamReply> => {
  const bounds = checkedBounds({
    startTs: request.start_ts,
    endTs: request.end_ts,
    stepMs: request.step_ms,
    preview: request.preview,
  });
  const market = await marketOf(deps, request, { bounds, caller });
  // `preview=true` asks for a short window in every form.
  const isWhole = request.whole && request.format !== 'json' && !request.preview;
  const window = isWhole ? wholeWindowOf(bounds, market.times, market.minUs) : windowOf(bounds, market.times);
  const book = await bookGrant(deps, {
    isRequested: request.include_book,
    plan: caller.plan,
    account: caller.account,
    event: market.state.event_ticker,
  });
  const { ticker, step_ms: stepMs, limit, format: form, numbers, sizes: withSizes } = request;
  const query = { ticker, stepMs, limit, withSizes };
  const rowsRequest = { ...query, window: receivedPart(window, market), withBook: book.included };
  const result = { request, market, window, book };
  const metaOf = (isEmpty: boolean): Promise<ReplyMeta> => replyMetaOf(deps, { ...result, bounds, isEmpty }, caller);
  if (form === 'json') {
    const rows = await deps.rows.rows(rowsRequest, slabMarketOf(market), caller);
    const body = withRows(headOf({ ...result, rows }, caller), [['snapshots', rows.json]]);
    return new Reply(body, await metaOf(rows.matched === 0));
  }
  const { event_ticker: eventTicker, series } = market.state;
  const formRequest = { ...rowsRequest, form, numbers, eventTicker, series };
  if (request.whole) {
    const metadata = fileMetadataOf(result);
    const rows = await deps.streams.open(bulkSnapshots(formRequest, metadata), caller);
    const head = coverageOf(result);
    if (!('bytes' in rows)) return new StreamReply({ ...(await metaOf(false)), head }, rows);
    const meta = await metaOf(rows.trailer['count'] === 0);
    return new Reply(rows.bytes, { ...meta, head: { ...head, ...rows.trailer } });
  }
  const rows = await deps.rows.page(formRequest, slabMarketOf(market), caller);
  return new Reply(rows.bytes, { ...(await metaOf(rows.matched === 0)), head: figuresOf({ ...result, rows }) });
};

interface AnsweredWindow extends Omit<SnapshotsResult, 'rows'> {
  readonly bounds: CheckedBounds;
  readonly isEmpty: boolean;
}

const replyMetaOf = async (
  { archive }: SnapshotsDeps,
  { market, window, book, bounds, isEmpty }: AnsweredWindow,
  caller: Caller,
): Promise<ReplyMeta> => {
  const { startUs, endUs } = window;
  const empty = { market, startUs, endUs, of: 'observation' } as const;
  const notices = [
    ...noticesOf(window, bounds, book),
    ...(isEmpty ? [await emptyWindowNotice(archive, empty, caller)] : []),
  ];
  return {
    ticker: market.state.ticker,
    version: market.version,
    ...freshUntil(market),
    cacheable: book.sharedByPlan && !window.dependsOnNow,
    ...(notices.length > 0 && { notices }),
  };
};

/** The last row of a market decides only about windows without two bounds, and about those that are cut. */
const marketOf = (
  deps: SnapshotsDeps,
  { ticker, as_of }: SnapshotsRequest,
  { bounds, caller }: { readonly bounds: CheckedBounds; readonly caller: Caller },
): Promise<MarketContext> => {
  const time = readTimeOf(as_of);
  const { startUs, endUs, lengthUsMax } = bounds;
  const isGiven = startUs !== null && endUs !== null && endUs - startUs <= lengthUsMax;
  return isGiven ? loadMarketContext(deps.states, ticker, time) : loadMarket(deps, { ticker, time }, caller);
};

interface SnapshotsResult {
  readonly request: SnapshotsRequest;
  readonly market: MarketContext;
  readonly window: Window;
  readonly book: BookGrant;
  readonly rows: RowsInfo & HasBook;
}

/** What a read of a whole window covers. The figures of its rows are in its trailer, since they are not known before. */
const coverageOf = ({ request, market, window, book }: Omit<SnapshotsResult, 'rows'>) => {
  const { lastUs } = market.times;
  return {
    start_ts: secondsOf(window.startUs),
    end_ts: secondsOf(window.endUs),
    step_ms: request.step_ms,
    include_book: book.included,
    clamped: window.clamped,
    has_more: window.goesOn && lastUs !== null && lastUs >= window.endUs,
    next_start_ts: secondsOf(window.goesOn ? window.endUs : null),
    notice: book.notice,
    ...asOfField(market.asOfUs),
  };
};

/** Key-value metadata of Parquet and Arrow, with the keys of an exported Parquet file. */
const fileMetadataOf = (result: Omit<SnapshotsResult, 'rows'>): Record<string, string> => {
  const { start_ts, end_ts, step_ms, include_book } = coverageOf(result);
  const { ticker, numbers, sizes } = result.request;
  const query = { ticker, start_ts, end_ts, step_ms, include_book, numbers, ...(sizes && { sizes }) };
  return fileMetadata(query, result.market);
};

/** Fields of every form: what the rows cover and how to continue. */
const figuresOf = ({ request, market, window, book, rows }: SnapshotsResult) => {
  const more = rows.rowsBeforeLimit > request.limit;
  const next =
    more && rows.lastUs !== null ? nextStartUs(rows.lastUs, request.step_ms) : window.goesOn ? window.endUs : null;
  const { lastUs } = market.times;
  return {
    start_ts: secondsOf(window.startUs),
    end_ts: secondsOf(window.endUs),
    step_ms: request.step_ms,
    include_book: book.included,
    matched: rows.matched,
    count: Math.min(rows.rowsBeforeLimit, request.limit),
    clamped: window.clamped,
    layer: rows.hasBook ? 'l2' : 'top',
    has_more: more || (window.goesOn && lastUs !== null && lastUs >= window.endUs),
    next_start_ts: secondsOf(next),
    ...asOfField(market.asOfUs),
  };
};

/** What the rows do not show: that the window was cut, or that books were left out. */
const noticesOf = ({ clamped, endUs, startUs }: Window, bounds: CheckedBounds, { notice }: BookGrant): Notice[] => {
  const notices: Notice[] = [];
  if (clamped) {
    const [startTs, endTs] = [secondsOf(startUs), secondsOf(endUs)];
    const advice =
      'To read on, send next_start_ts as start_ts, or send windows of at most 6 hours (15 minutes with preview).';
    notices.push(
      clampedNotice({
        startTs,
        endTs,
        advice,
        loc: ['query', bounds.endUs === null ? 'start_ts' : 'end_ts'],
        nearest: String(endTs),
      }),
    );
  }
  if (notice !== null) {
    notices.push({ code: 'books_not_included', detail: notice, loc: ['query', 'include_book'], nearest: null });
  }
  return notices;
};

const headOf = (result: SnapshotsResult, caller: Caller) => {
  const { start_ts, end_ts, step_ms, include_book, matched, count, clamped, layer, ...onward } = figuresOf(result);
  return {
    ticker: result.request.ticker,
    series: result.market.entry.series,
    start_ts,
    end_ts,
    step_ms,
    include_book,
    matched,
    count,
    market: result.market.entry,
    key_mode: caller.plan ?? null,
    clamped,
    preview: result.request.preview,
    layer,
    ...onward,
    notice: result.book.notice,
  };
};
