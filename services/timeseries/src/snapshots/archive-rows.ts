import {
  bytes,
  type ClickHouse,
  ClickHouseError,
  isServerState,
  type Query,
  QueryTimeoutError,
  rows,
  type RowSchema,
} from '@almanac/clickhouse';
import { DomainError, type SnapshotForm } from '@almanac/contracts';
import { z } from 'zod';
import type { Window } from '../window/window.js';
import type { ReadSlots } from './read-slots.js';
import { bookTextSql, headerOf, parquetRowsSql, topTextSql } from './form-sql.js';
import { cutPage, cutRows, type PageBytes, type RowsBytes, type RowsFigures } from './rows-bytes.js';
import { bookRowsSql, figuresSql, type Kept, topRowsSql } from './rows-sql.js';

export interface RowsAsk {
  readonly ticker: string;
  readonly window: Pick<Window, 'startUs' | 'endUs'>;
  readonly stepMs: number;
  readonly limit: number;
  readonly withBook: boolean;
}

/** A page in another form than JSON, with what is the same in each of its rows; null where unknown. */
export interface PageAsk extends RowsAsk {
  readonly form: Exclude<SnapshotForm, 'json'>;
  readonly eventTicker: string | null;
  readonly series: string | null;
}

/** Whether a returned row has a book; never where none was asked for. */
export interface Layered {
  readonly hasBook: boolean;
}

/** Reads of stored rows, each within a slot of this process and the caller's deadline. Throws `unavailable`. */
export interface ArchiveRows {
  rows(ask: RowsAsk, signal: AbortSignal): Promise<RowsBytes & Layered>;
  page(ask: PageAsk, signal: AbortSignal): Promise<PageBytes & Layered>;
  /** A query of `rows-sql.ts`. */
  bytes(query: Query, signal: AbortSignal): Promise<RowsBytes>;
  parsed<T>(query: Query, schema: RowSchema<T>, signal: AbortSignal): Promise<T[]>;
}

export const archiveRows = (clickhouse: ClickHouse, slots: ReadSlots): ArchiveRows => {
  const inSlot = <T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> =>
    slots.run(signal, () => read().catch(refused));
  return {
    rows: (ask, signal) => inSlot(signal, () => readRows({ clickhouse, ask, signal })),
    page: (ask, signal) => inSlot(signal, () => readPage({ clickhouse, ask, signal })),
    bytes: (query, signal) => inSlot(signal, async () => cutRows(await bytes(clickhouse, { ...query, signal }))),
    parsed: (query, schema, signal) => inSlot(signal, () => rows(clickhouse, { ...query, signal }, schema)),
  };
};

interface Read<Ask extends RowsAsk> {
  readonly clickhouse: ClickHouse;
  readonly ask: Ask;
  readonly signal: AbortSignal;
}

const readRows = async (read: Read<RowsAsk>): Promise<RowsBytes & Layered> => {
  const { clickhouse, ask, signal } = read;
  const found = keptOf(ask);
  if (!ask.withBook) {
    const sql = topRowsSql[found];
    return { ...cutRows(await bytes(clickhouse, { sql, params: paramsOf(ask), signal })), hasBook: false };
  }
  const figures = await figuresOf(read);
  if (figures.lastUs === null) return { ...figures, json: noRows };
  const params = paramsOf(ask, figures.lastUs + 1);
  const { json } = cutRows(await bytes(clickhouse, { sql: bookRowsSql[found], params, signal }));
  return { ...figures, json };
};

const readPage = async (read: Read<PageAsk>): Promise<PageBytes & Layered> => {
  const { clickhouse, ask, signal } = read;
  const found = keptOf(ask);
  const { form, withBook } = ask;
  const market = { event_ticker: ask.eventTicker ?? '', series: ask.series ?? '' };
  const answer = (sql: string, endUs?: number): Promise<Buffer> =>
    bytes(clickhouse, { sql, params: { ...paramsOf(ask, endUs), ...market }, signal });
  if (form !== 'parquet' && !withBook) {
    return { ...cutPage(await answer(topTextSql[form][found]), headerOf(form, false)), hasBook: false };
  }
  const figures = await figuresOf(read);
  const endUs = figures.lastUs === null ? ask.window.startUs : figures.lastUs + 1;
  if (form === 'parquet') {
    return { ...figures, bytes: await answer(parquetRowsSql[withBook ? 'books' : 'top'][found], endUs) };
  }
  if (figures.lastUs === null) return { ...figures, bytes: Buffer.from(headerOf(form, true)) };
  return { ...figures, bytes: await answer(bookTextSql[form][found], endUs) };
};

const figures = z.object({ matched: z.int(), kept: z.int(), last_us: z.int(), has_book: z.boolean() });

const figuresOf = async ({ clickhouse, ask, signal }: Read<RowsAsk>): Promise<RowsFigures & Layered> => {
  const [one] = await rows(clickhouse, { sql: figuresSql[keptOf(ask)], params: paramsOf(ask), signal }, figures);
  if (one === undefined) throw new Error('figures have a row');
  const { matched, kept, last_us, has_book } = one;
  return { matched, kept, lastUs: kept === 0 ? null : last_us, hasBook: ask.withBook && has_book };
};

const noRows = Buffer.from('[]');

const keptOf = ({ stepMs }: RowsAsk): Kept => (stepMs === 0 ? 'everyRow' : 'downsampled');

const paramsOf = (
  { ticker, window, stepMs, limit }: RowsAsk,
  endUs = window.endUs,
): Readonly<Record<string, unknown>> => ({
  ticker,
  start_us: window.startUs,
  end_us: endUs,
  limit,
  ...(stepMs === 0 ? {} : { step_us: stepMs * 1_000 }),
});

/** What ClickHouse refuses is a fault of ours, unless the server is not as it should be; all else is an outage. */
const refused = (cause: unknown): never => {
  if (cause instanceof ClickHouseError && !isServerState(cause)) throw cause;
  throw new DomainError('unavailable', `The archive ${whyOf(cause)}. Try again in a few seconds.`, { cause });
};

const whyOf = (cause: unknown): string => {
  if (cause instanceof ClickHouseError) return 'is temporarily unavailable';
  return cause instanceof QueryTimeoutError ? 'did not respond in time' : 'is temporarily unavailable';
};
