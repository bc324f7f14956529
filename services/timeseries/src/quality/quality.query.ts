import { Reply, type RpcClient } from '@almanac/bus';
import {
  asOfField,
  asOfMeta,
  dayUs,
  decodeCursor,
  DomainError,
  encodeCursor,
  listingOf,
  type MarketQuality,
  type Notice,
  type PeriodQuality,
  qualityDaysMax,
  type ReadTime,
  readTimeOf,
  type TimeRange,
  type timeseriesRpc,
} from '@almanac/contracts';
import { z } from 'zod';
import type { ReadDeps } from '../read-context.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import { readTable } from '../tables/read-table.js';
import { dayRangeOf, daysOf } from './day-range.js';
import { rankedMarkets, rankedPeriods, readMarkets } from './ranked-items.js';
import { qualityTables } from './quality-table.js';
import { openMarkets } from './open-markets.js';

export type QualityRequest = z.output<typeof timeseriesRpc.quality.input>;
export type QualityCaller = Caller & { readonly requestId: string };

export interface QualityDeps extends ReadDeps {
  readonly rpc: Pick<RpcClient, 'call'>;
}

/** An item of the answer and its place in the order: a number, and for equal numbers a text. */
export interface Ranked<Item> {
  readonly key: readonly [number, string];
  readonly hasGaps: boolean;
  readonly item: Item;
}

/** The last item of the page before, and the range of its listing, which may end with the present. */
const position = z.tuple([z.int(), z.string(), z.int(), z.int()]);

/** What is stored of the markets of a series, an event, a category or a venue in a range of days, and what is missing. */
export const answerQuality = async (
  deps: QualityDeps,
  request: QualityRequest,
  caller: QualityCaller,
): Promise<Reply> => {
  const time = readTimeOf(request.as_of);
  checkTarget(request);
  const { listing, range, after } = pageStart(request, time);
  const { tickers, notices } = await openMarkets(deps, request, { range, caller });
  const scope = { tickers, time, range, caller };
  const { marketsN, withGapsN, page, markets, periods } = await itemsOf(deps, request, { scope, after });
  const last = page.items.at(-1);
  const figures = {
    by: request.by,
    ...daysOf(range),
    start_ts: range.startUs / 1e6,
    end_ts: range.endUs / 1e6,
    markets_n: marketsN,
    markets_with_gaps_n: withGapsN,
    count: page.items.length,
    has_more: page.hasMore,
    next_cursor:
      page.hasMore && last !== undefined ? encodeCursor(listing, [...last.key, range.startUs, range.endUs]) : null,
  };
  return replyOf(deps, { request, time, figures, markets, periods, notices }, caller);
};

const checkTarget = ({ series, event, category, venue }: QualityRequest): void => {
  if ([series, event, category, venue].filter((id) => id).length === 1) return;
  throw new DomainError('invalid_input', 'Send exactly one of series, event, category and venue.');
};

const pageStart = (request: QualityRequest, time: ReadTime) => {
  const { limit: _limit, cursor, format: _format, has_gaps, ...filters } = request;
  const listing = listingOf('quality', { ...filters, has_gaps: has_gaps === undefined ? null : String(has_gaps) });
  const found = decodeCursor(cursor, { listing, position });
  if (found === null) return { listing, range: dayRangeOf(request, time), after: null };
  const [key, id, startUs, lastUs] = found;
  const range = { startUs, endUs: Math.min(lastUs, time.nowUs) };
  if (startUs < 0 || range.endUs <= startUs || range.endUs - startUs > qualityDaysMax * dayUs) {
    throw new DomainError('invalid_cursor', 'not a cursor that this listing gave', { more: { input: cursor } });
  }
  return { listing, range, after: [key, id] as const };
};

const isAfter = ([key, id]: readonly [number, string], [afterKey, afterId]: readonly [number, string]): boolean =>
  key > afterKey || (key === afterKey && id > afterId);

const pageOf = <Item>(
  all: readonly Ranked<Item>[],
  { has_gaps, limit }: QualityRequest,
  after: readonly [number, string] | null,
) => {
  const rest = all
    .filter(({ key, hasGaps }) => (has_gaps ?? hasGaps) === hasGaps && (after === null || isAfter(key, after)))
    .toSorted((a, b) => (isAfter(a.key, b.key) ? 1 : -1));
  return { items: rest.slice(0, limit), hasMore: rest.length > limit };
};

interface Scope {
  readonly tickers: readonly string[];
  readonly time: ReadTime;
  readonly range: TimeRange;
  readonly caller: QualityCaller;
}

const itemsOf = async (
  deps: QualityDeps,
  request: QualityRequest,
  { scope, after }: { readonly scope: Scope; readonly after: readonly [number, string] | null },
) => {
  const { by, sort } = request;
  if (by === 'market') {
    const all = await rankedMarkets(deps, scope, sort);
    const page = pageOf(all, request, after);
    const markets = await readMarkets(deps, { ...scope, tickers: page.items.map(({ item }) => item) });
    const counts = { marketsN: all.length, withGapsN: all.filter(({ hasGaps }) => hasGaps).length };
    return { ...counts, page, markets, periods: [] };
  }
  const { periods: all, ...counts } = await rankedPeriods(deps, scope, { by, sort });
  const page = pageOf(all, request, after);
  return { ...counts, page, markets: [], periods: page.items.map(({ item }) => item) };
};

interface Answer {
  readonly request: QualityRequest;
  readonly time: ReadTime;
  readonly figures: Readonly<Record<string, string | number | boolean | null>>;
  readonly markets: readonly MarketQuality[];
  readonly periods: readonly PeriodQuality[];
  readonly notices: readonly Notice[];
}

/** Coverage of live markets changes with the clock, so the answer is not cached. */
const replyOf = async (
  { rows }: QualityDeps,
  { request, time: { asOfUs }, figures, markets, periods, notices }: Answer,
  caller: Caller,
): Promise<Reply> => {
  const meta = { ...asOfMeta(asOfUs), cacheable: false, ...(notices.length > 0 && { notices }) };
  const echo = asOfField(asOfUs);
  const { format: form, by } = request;
  if (form === 'json') {
    return new Reply(Buffer.from(JSON.stringify({ ...figures, markets, periods, ...echo })), meta);
  }
  const name = by === 'market' ? 'markets' : 'periods';
  const items = JSON.stringify(by === 'market' ? markets.map(({ gaps: _gaps, ...flat }) => flat) : periods);
  const { series, event, category, venue } = request;
  const query = { 'almanac.query': JSON.stringify({ series, event, category, venue, ...figures }) };
  const metadata = asOfUs === null ? query : { ...query, 'almanac.as_of': String(asOfUs / 1e6) };
  const table = { form, numbers: 'decimal', table: qualityTables[name], params: { items }, metadata } as const;
  const { bytes } = await readTable(rows, table, caller);
  return new Reply(bytes, { ...meta, head: { ...figures, ...echo } });
};
