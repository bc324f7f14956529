import { Reply, StreamReply } from '@almanac/bus';
import type { ReadCaller } from '@almanac/runtime';
import {
  asOfField,
  asOfMeta,
  decodeCursor,
  encodeCursor,
  isBinaryForm,
  listingOf,
  parseJson,
  readTimeOf,
  type ReplyMeta,
  secondsOf,
  type timeseriesRpc,
} from '@almanac/contracts';
import { z } from 'zod';
import { fileMetadata, receivedEndUs } from '../as-of/received.js';
import { loadMarketContext, type StateCaches } from '../market-context.js';
import { type ArchiveRows, marketParams } from '../rows/archive-rows.js';
import { rowStart } from '../rows/rows-sql.js';
import { withRows } from '../read-context.js';
import type { StreamRequest } from '../rows/stream-pieces.js';
import type { RowStreams } from '../rows/stream-rows.js';
import { emptyWindowNotice } from '../notices/empty-window.js';
import { checkedBounds, latestUs } from '../window/window.js';
import {
  countedTradesSql,
  pageEndSql,
  tradeHeaderOf,
  tradePageSql,
  tradeBinarySql,
  type TradeSelection,
  tradeTextSql,
} from './trades-sql.js';

export interface TradesDeps {
  readonly states: StateCaches;
  readonly rows: ArchiveRows;
  readonly streams: RowStreams;
}

export type TradesRequest = z.output<typeof timeseriesRpc.trades.input>;

/** The time and id of the last trade of a page. */
const position = z.tuple([z.int(), z.string()]);
type Position = z.output<typeof position>;

/**
 * GET /markets/{ticker}/trades: the stored trades of a window of any length, by time and then by id. Many trades may
 * have one time, so a page goes on with a cursor. Throws `market_not_found`, `invalid_window` and `invalid_cursor`.
 */
export const answerTrades = async (
  deps: TradesDeps,
  request: TradesRequest,
  caller: ReadCaller,
): Promise<Reply | StreamReply> => {
  const { ticker, start_ts: startTs, end_ts: endTs, order, format: form, whole, as_of: asOf } = request;
  const bounds = checkedBounds({ startTs, endTs, stepMs: 0, preview: false });
  const listing = listingOf('trades', { ticker, start_ts: startTs, end_ts: endTs, order, as_of: asOf });
  const after = decodeCursor(request.cursor, { listing, position });
  const market = await loadMarketContext(deps.states, ticker, readTimeOf(request.as_of));
  const { state, version } = market;
  const requested = { start_ts: secondsOf(bounds.startUs), end_ts: secondsOf(bounds.endUs), order };
  const window = { ...requested, ...asOfField(market.asOfUs) };
  const read: TradeRead = {
    request,
    listing,
    after,
    params: {
      ticker,
      start_us: bounds.startUs ?? 0,
      end_us: Math.min(bounds.endUs ?? latestUs, receivedEndUs(market)),
      limit: request.limit,
      ...(after && { after_us: after[0], after_id: after[1] }),
      ...marketParams({ eventTicker: state.event_ticker, series: state.series }),
    },
  };
  const meta = { ticker, version, ...asOfMeta(market.asOfUs) };
  const metaOf = async (count: unknown): Promise<ReplyMeta> => {
    if (count !== 0 || after !== null) return meta;
    const empty = { market, startUs: bounds.startUs ?? 0, endUs: bounds.endUs ?? latestUs, of: 'trade' } as const;
    return { ...meta, notices: [await emptyWindowNotice(deps.rows, empty, caller)] };
  };
  if (form === 'json') {
    const { rows, ...figures } = await jsonPage(deps, read, caller);
    const head = { ticker, series: state.series, ...window, count: figures.count };
    const { has_more, next_cursor } = figures;
    const body = withRows({ ...head, has_more, next_cursor }, [['trades', rows]]);
    return new Reply(body, await metaOf(figures.count));
  }
  const metadata = fileMetadata({ ticker, ...requested, numbers: request.numbers }, market);
  if (!whole) {
    const { bytes, ...figures } = await formPage(deps, read, { caller, metadata });
    return new Reply(bytes, { ...(await metaOf(figures.count)), head: { ...window, ...figures } });
  }
  const rows = await deps.streams.open(bulkTrades(read, { form, metadata }), caller);
  const head = { ...window, has_more: false };
  return 'bytes' in rows
    ? new Reply(rows.bytes, { ...(await metaOf(rows.trailer['count'])), head: { ...head, ...rows.trailer } })
    : new StreamReply({ ...meta, head }, rows);
};

interface TradeRead {
  readonly request: TradesRequest;
  readonly listing: string;
  readonly after: Position | null;
  readonly params: Readonly<Record<string, unknown>>;
}

interface PageFigures {
  readonly count: number;
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

const selectionOf = ({ request: { order }, after }: TradeRead): TradeSelection => ({ order, isAfter: after !== null });

const figuresOf = ({ request, listing }: TradeRead, found: number, last: Position | null): PageFigures => {
  const hasMore = found > request.limit;
  return {
    count: Math.min(found, request.limit),
    has_more: hasMore,
    next_cursor: hasMore && last !== null ? encodeCursor(listing, last) : null,
  };
};

const jsonPage = async (
  { rows }: TradesDeps,
  read: TradeRead,
  caller: ReadCaller,
): Promise<PageFigures & { readonly rows: Uint8Array }> => {
  const found = await rows.bytes({ sql: tradePageSql(selectionOf(read)), params: read.params }, caller);
  const last: Position | null = found.lastUs === null ? null : [found.lastUs, lastIdIn(found.json)];
  return { rows: found.json, ...figuresOf(read, found.rowsBeforeLimit, last) };
};

const lastRow = z.object({ trade_id: z.string() });

/** A quote inside an id is escaped, so the last start of a row begins the last row. */
const lastIdIn = (json: Buffer): string =>
  lastRow.parse(parseJson(json.toString('utf8', json.lastIndexOf(rowStart), json.length - 1))).trade_id;

const pageEnd = z.object({ found: z.int(), last_us: z.int(), last_id: z.string() });

/** A page in another form. A first query finds its end, and the second one returns the trades up to there. */
const formPage = async (
  { rows, streams }: TradesDeps,
  read: TradeRead,
  { caller, metadata }: { readonly caller: ReadCaller; readonly metadata: StreamRequest['metadata'] },
): Promise<PageFigures & { readonly bytes: Uint8Array }> => {
  const { format: form } = read.request;
  const [end] = await rows.parsed({ sql: pageEndSql(selectionOf(read)), params: read.params }, pageEnd, caller);
  if (end === undefined || form === 'json') throw new Error('the end of a page has a row');
  const last: Position = [end.last_us, end.last_id];
  const bulk = bulkTrades(read, { form, metadata, last });
  return { bytes: await streams.page(bulk, caller), ...figuresOf(read, end.found, last) };
};

interface BulkOptions extends Pick<StreamRequest, 'form' | 'metadata'> {
  /** The position of the last trade, if the read has an end. */
  readonly last?: Position;
}

const bulkTrades = (read: TradeRead, { form, metadata, last }: BulkOptions): StreamRequest => {
  const { numbers } = read.request;
  const selection = { ...selectionOf(read), isUntil: last !== undefined };
  return {
    form,
    header: isBinaryForm(form) ? '' : tradeHeaderOf(form),
    sql: (mark) =>
      isBinaryForm(form) ? tradeBinarySql(form, selection, numbers) : tradeTextSql(form, { selection, numbers, mark }),
    params: { ...read.params, ...(last && { last_us: last[0], last_id: last[1] }) },
    metadata,
    countSql: (rowsMax) => countedTradesSql(selection, rowsMax),
  };
};
