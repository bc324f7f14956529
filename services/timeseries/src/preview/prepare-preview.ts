import type { ReadCaller } from '@almanac/runtime';
import { type Notice, secondsOf } from '@almanac/contracts';
import { z } from 'zod';
import { receivedEndUs, receivedPart } from '../as-of/received.js';
import { spansBy } from '../gaps/market-gaps.js';
import type { VenueRange } from '../candles/venue-ranges.js';
import type { MarketContext } from '../market-context.js';
import type { ArchiveRows } from '../rows/archive-rows.js';
import { lastRowsSql, sampleBooksSql } from '../rows/rows-sql.js';
import { withRows } from '../read-context.js';
import { clampedNotice } from '../notices/clamped-notice.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import { checkedBounds, type Window, windowOf } from '../window/window.js';
import { type PreviewStats, previewStats, statsSql, locked, lockedSql } from './stats-sql.js';
import { coverageFields, describedSpan, spansSql } from './coverage.js';
import { pathPointsMax, pathStepMs } from './path-step.js';
import { lastOpenUs, usefulRangeOf } from './useful-range.js';

const sampleRows = 20;
/** Later than every time that can be stored, so a market without a close never passes it. */
const never = 8_000_000_000_000_000;

export interface PreviewRequest {
  readonly market: MarketContext;
  readonly window: Window;
}

/** A preview to prepare, and the venue candles of its market. */
export interface PreparationRequest extends PreviewRequest {
  readonly ranges: readonly VenueRange[];
}

/** The last hours of a market. */
export const previewWindow = ({ times }: MarketContext): Window =>
  windowOf(checkedBounds({ stepMs: 0, preview: false }), times);

interface PreviewParts {
  readonly caller: Pick<Caller, 'plan'>;
  /** Where the body is from. */
  readonly origin: object;
  readonly body: Buffer;
}

/** The body is a JSON object. The fields that depend on the time or the caller are inserted at its front. */
export const previewBytes = ({ entry }: MarketContext, { caller, origin, body }: PreviewParts): Buffer => {
  const front = {
    ticker: entry.ticker,
    series: entry.series,
    include_book: false,
    market: entry,
    key_mode: caller.plan ?? null,
    preview: true,
    has_more: false,
    next_start_ts: null,
    notice: null,
    ...origin,
    schema: 3,
    style: entry.shape === 'rolling' ? 'rolling' : 'event',
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(front).slice(0, -1)},`), body.subarray(1)]);
};

/** The part of a preview that depends only on stored rows, as the JSON bytes of an object. */
export const preparePreview = async (
  rows: ArchiveRows,
  request: PreparationRequest,
  caller: ReadCaller,
): Promise<Buffer> => {
  const { market } = request;
  const { ticker } = market.state;
  const window = receivedPart(request.window, market);
  const params = { ticker, start_us: window.startUs, end_us: window.endUs };
  const closeUs = market.times.closeUs ?? never;
  const received_us = receivedEndUs(market);
  const [marketStats] = await rows.parsed(
    { sql: statsSql, params: { ...params, close_us: closeUs, received_us } },
    previewStats,
    caller,
  );
  if (marketStats === undefined) throw new Error(`no figures of ${ticker}`);
  const stepMs = pathStepMs({
    rows: marketStats.matched,
    firstUs: marketStats.inside_first_us,
    lastUs: marketStats.inside_last_us,
  });
  const plain = { ticker, window, withBook: false, withSizes: false } as const;
  const [lockedUs, spans, path, sample, lastRows, books] = await Promise.all([
    lockedAt(rows, { market, stats: marketStats }, caller),
    rows.parsed({ sql: spansSql, params: { ticker } }, describedSpan, caller),
    rows.rows({ ...plain, stepMs, limit: pathPointsMax }, caller),
    rows.rows({ ...plain, stepMs: 0, limit: sampleRows }, caller),
    rows.bytes({ sql: lastRowsSql, params: { ...params, limit: sampleRows } }, caller),
    rows.bytes({ sql: sampleBooksSql, params }, caller),
  ]);
  const coverage = coverageFields({
    spans: spansBy(spans, market.asOfUs),
    stats: marketStats,
    times: market.times,
    endUs: window.endUs,
    ranges: request.ranges,
  });
  const figures = figuresOf(request, marketStats, { lockedUs, coverage });
  const head = { ...figures, step_ms: stepMs, count: path.rowsBeforeLimit, chartable: path.rowsBeforeLimit >= 2 };
  return withRows({ ...head, layer: books.rowsBeforeLimit > 0 ? 'l2' : 'top' }, [
    ['snapshots', path.json],
    ['path', path.json],
    ['sample', sample.json],
    ['tape', lastRows.json],
    ['l2_sample', books.json],
  ]);
};

const lockedAt = async (
  rows: ArchiveRows,
  { market, stats }: { market: MarketContext; stats: PreviewStats },
  caller: ReadCaller,
): Promise<number | null> => {
  const afterUs = lastOpenUs({
    twoSidedUs: stats.two_sided_us,
    lastMidUs: stats.last_mid_us,
    lastNotUpUs: stats.last_not_up_us,
    lastNotDownUs: stats.last_not_down_us,
  });
  if (afterUs === null) return null;
  const params = { ticker: market.state.ticker, after_us: afterUs, received_us: receivedEndUs(market) };
  const [first] = await rows.parsed({ sql: lockedSql, params }, locked, caller);
  return first?.locked_us ?? null;
};

const figuresOf = (
  request: PreviewRequest,
  stats: PreviewStats,
  { lockedUs, coverage }: { lockedUs: number | null; coverage: ReturnType<typeof coverageFields> },
) => {
  const lastUs = stats.prints > 0 ? stats.last_us : null;
  const useful = usefulRangeOf({ twoSidedUs: stats.two_sided_us }, { ...request.market.times, lockedUs, lastUs });
  return {
    ...windowFields(request),
    matched: stats.matched,
    coverage,
    useful: { start_ts: secondsOf(useful.startUs), end_ts: secondsOf(useful.endUs), reason: useful.reason },
    pending: false,
  };
};

/** The window fields of every preview, ready or pending. `clamped` is true if the market began before the window. */
export const windowFields = ({ market, window }: PreviewRequest) => {
  const begins = [market.times.openUs, market.minUs].filter((us) => us !== null);
  return {
    start_ts: secondsOf(window.startUs),
    end_ts: secondsOf(window.endUs),
    window_s: secondsOf(window.endUs - window.startUs),
    clamped: begins.some((us) => us < window.startUs),
  };
};

const windowHead = z.object({ start_ts: z.number(), end_ts: z.number(), clamped: z.boolean() });

/** What a preview does not show. Its own bytes, which begin with `windowFields`, say which window it covers. */
export const noticesOfPreview = (body: Buffer): Notice[] => {
  const head = body.subarray(0, body.indexOf(',"matched":')).toString();
  const { start_ts: startTs, end_ts: endTs, clamped } = windowHead.parse(JSON.parse(`${head}}`));
  if (!clamped) return [];
  const advice = 'To read the rows before it, request snapshots in windows of at most 6 hours.';
  return [clampedNotice({ startTs, endTs, advice, loc: null, nearest: null })];
};

/** The same fields before the rows are read: no coverage, zeros and empty arrays. */
export const pendingPreview = (request: PreviewRequest): Buffer =>
  withRows(
    {
      ...windowFields(request),
      step_ms: 0,
      matched: 0,
      count: 0,
      coverage: null,
      useful: { start_ts: null, end_ts: null, reason: null },
      chartable: false,
      layer: 'top',
      pending: true,
    },
    ['snapshots', 'path', 'sample', 'tape', 'l2_sample'].map((name) => [name, nothing] as const),
  );

const nothing = Buffer.from('[]');
