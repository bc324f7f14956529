import { Reply, type RpcContext } from '@almanac/bus';
import { secondsOf, type timeseriesRpc } from '@almanac/contracts';
import type { z } from 'zod';
import { freshUntil, type KnownMarket, knownMarket, type KnownStates } from '../known-market.js';
import { checkedBounds, nextStartUs, type Window, windowOf } from '../window/window.js';
import type { ArchiveRows, Layered } from './archive-rows.js';
import { type BookGrant, bookGrant, type BookRights } from './book-access.js';
import type { RowsFigures } from './rows-bytes.js';

export interface SnapshotsParts extends BookRights {
  readonly states: KnownStates;
  readonly rows: ArchiveRows;
}

export type SnapshotsAsk = z.output<typeof timeseriesRpc.snapshots.input>;
export type Asker = Pick<RpcContext, 'plan' | 'account' | 'signal'>;

/**
 * Stored observations of a market's window, in the form that is asked for: as JSON the rows as ClickHouse wrote them
 * behind a small head, in the other forms the rows alone, and the head beside them.
 */
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
  const { ticker, step_ms: stepMs, limit, format: form } = ask;
  const wanted = { ticker, window, stepMs, limit, withBook: book.included };
  const found = { ask, market, window, book };
  const cacheable = book.sharedByPlan && !window.dependsOnNow;
  const meta = { ticker, version: market.version, ...freshUntil(market), cacheable };
  if (form === 'json') {
    const rows = await parts.rows.rows(wanted, asker.signal);
    return new Reply(withRows(headOf({ ...found, rows }, asker), [['snapshots', rows.json]]), meta);
  }
  const { event_ticker: eventTicker, series } = market.state;
  const rows = await parts.rows.page({ ...wanted, form, eventTicker, series }, asker.signal);
  return new Reply(rows.bytes, { ...meta, head: figuresOf({ ...found, rows }) });
};

interface Found {
  readonly ask: SnapshotsAsk;
  readonly market: KnownMarket;
  readonly window: Window;
  readonly book: BookGrant;
  readonly rows: RowsFigures & Layered;
}

/** What every form tells: what the rows are of, and how to go on. */
const figuresOf = ({ ask, market, window, book, rows }: Found) => {
  const more = rows.kept > ask.limit;
  const next =
    more && rows.lastUs !== null ? nextStartUs(rows.lastUs, ask.step_ms) : window.goesOn ? window.endUs : null;
  const { lastUs } = market.times;
  return {
    start_ts: secondsOf(window.startUs),
    end_ts: secondsOf(window.endUs),
    step_ms: ask.step_ms,
    include_book: book.included,
    matched: rows.matched,
    count: Math.min(rows.kept, ask.limit),
    clamped: window.clamped,
    layer: rows.hasBook ? 'l2' : 'top',
    has_more: more || (window.goesOn && lastUs !== null && lastUs >= window.endUs),
    next_start_ts: secondsOf(next),
    notice: book.notice,
  };
};

const headOf = (found: Found, asker: Asker) => {
  const { start_ts, end_ts, step_ms, include_book, matched, count, clamped, layer, ...onward } = figuresOf(found);
  return {
    ticker: found.ask.ticker,
    series: found.market.shown.series,
    start_ts,
    end_ts,
    step_ms,
    include_book,
    matched,
    count,
    market: found.market.shown,
    key_mode: asker.plan ?? null,
    clamped,
    preview: found.ask.preview,
    layer,
    ...onward,
  };
};

/** One JSON object of the head's fields and of arrays that are JSON already. */
export const withRows = (head: object, arrays: readonly (readonly [string, Uint8Array])[]): Buffer => {
  const parts: Uint8Array[] = [Buffer.from(JSON.stringify(head).slice(0, -1))];
  for (const [name, json] of arrays) parts.push(Buffer.from(`,"${name}":`), json);
  parts.push(closing);
  return Buffer.concat(parts);
};

const closing = Buffer.from('}');
