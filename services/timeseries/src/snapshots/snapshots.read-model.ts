import { Reply, type RpcContext } from '@almanac/bus';
import { secondsOf, type timeseriesRpc } from '@almanac/contracts';
import type { z } from 'zod';
import { freshUntil, type KnownMarket, knownMarket, type KnownStates } from '../known-market.js';
import { checkedBounds, nextStartUs, type Window, windowOf } from '../window/window.js';
import type { ArchiveRows } from './archive-rows.js';
import { type BookGrant, bookGrant, type BookRights } from './book-access.js';
import type { RowsBytes } from './rows-bytes.js';

export interface SnapshotsParts extends BookRights {
  readonly states: KnownStates;
  readonly rows: ArchiveRows;
}

export type SnapshotsAsk = z.output<typeof timeseriesRpc.snapshots.input>;
export type Asker = Pick<RpcContext, 'plan' | 'account' | 'signal'>;

/** Stored observations of a market's window, as JSON bytes: the rows as ClickHouse wrote them, behind a small head. */
export const answerSnapshots = async (parts: SnapshotsParts, ask: SnapshotsAsk, asker: Asker): Promise<Reply> => {
  const bounds = checkedBounds({
    startTs: ask.start_ts,
    endTs: ask.end_ts,
    stepMs: ask.step_ms,
    preview: ask.preview,
  });
  const market = await knownMarket(parts.states, ask.ticker, Date.now() * 1_000);
  const window = windowOf(bounds, market.times);
  const book = await bookGrant(parts, {
    wanted: ask.include_book,
    plan: asker.plan,
    account: asker.account,
    event: market.state.event_ticker,
  });
  const { ticker, step_ms: stepMs, limit } = ask;
  const rows = await parts.rows.rows({ ticker, window, stepMs, limit, withBook: book.included }, asker.signal);
  const head = headOf({ ask, asker, market, window, book, rows });
  return new Reply(withRows(head, [['snapshots', rows.json]]), {
    ticker,
    version: market.version,
    ...freshUntil(market),
    cacheable: book.sharedByPlan && !window.dependsOnNow,
  });
};

interface Found {
  readonly ask: SnapshotsAsk;
  readonly asker: Asker;
  readonly market: KnownMarket;
  readonly window: Window;
  readonly book: BookGrant;
  readonly rows: RowsBytes;
}

const headOf = ({ ask, asker, market, window, book, rows }: Found) => {
  const more = rows.kept > ask.limit;
  const next =
    more && rows.lastUs !== null ? nextStartUs(rows.lastUs, ask.step_ms) : window.clamped ? window.endUs : null;
  const { lastUs } = market.times;
  return {
    ticker: ask.ticker,
    series: market.shown.series,
    start_ts: secondsOf(window.startUs),
    end_ts: secondsOf(window.endUs),
    step_ms: ask.step_ms,
    include_book: book.included,
    matched: rows.matched,
    count: Math.min(rows.kept, ask.limit),
    market: market.shown,
    key_mode: asker.plan ?? null,
    clamped: window.clamped,
    preview: ask.preview,
    layer: book.included && rows.json.includes(aBook) ? 'l2' : 'top',
    has_more: more || (window.clamped && lastUs !== null && lastUs >= window.endUs),
    next_start_ts: secondsOf(next),
    notice: book.notice,
  };
};

/** Without a book both sides are null; with one, even an empty one, they are arrays. */
const aBook = '"orderbook_yes":[';

/** One JSON object of the head's fields and of arrays that are JSON already. */
export const withRows = (head: object, arrays: readonly (readonly [string, Uint8Array])[]): Buffer => {
  const parts: Uint8Array[] = [Buffer.from(JSON.stringify(head).slice(0, -1))];
  for (const [name, json] of arrays) parts.push(Buffer.from(`,"${name}":`), json);
  parts.push(closing);
  return Buffer.concat(parts);
};

const closing = Buffer.from('}');
