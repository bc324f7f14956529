import {
  bytes,
  type ClickHouse,
  ClickHouseError,
  isServerError,
  type Query,
  QueryTimeoutError,
  rows,
  type RowSchema,
} from '@almanac/clickhouse';
import type { AccountSlots, ReadCaller } from '@almanac/runtime';
import { DomainError, isBinaryForm, type NumberType, type SnapshotForm } from '@almanac/contracts';
import { z } from 'zod';
import type { Window } from '../window/window.js';
import { binaryRowsSql, bookTextSql, type FormOptions, headerOf, topTextSql } from './form-sql.js';
import { cutPage, cutRows, type PageBytes, type RowsBytes, type RowsInfo } from './rows-bytes.js';
import { bookRowsSql, figuresSql, type RowSelection, topRowsSql } from './rows-sql.js';

export interface RowsRequest {
  readonly ticker: string;
  readonly window: Pick<Window, 'startUs' | 'endUs'>;
  readonly stepMs: number;
  readonly limit: number;
  readonly withBook: boolean;
  readonly withSizes: boolean;
}

/** A page in a form other than JSON. `eventTicker` and `series` repeat in each of its rows, null if unknown. */
export interface PageRequest extends RowsRequest {
  readonly form: Exclude<SnapshotForm, 'json'>;
  readonly numbers: NumberType;
  readonly eventTicker: string | null;
  readonly series: string | null;
}

/** Whether any returned row has a book. Always false if no books were requested. */
export interface HasBook {
  readonly hasBook: boolean;
}

/** Reads of stored rows. Each runs in a slot of this process, and within the caller's deadline. Throws `unavailable`. */
export interface ArchiveRows {
  rows(request: RowsRequest, caller: ReadCaller): Promise<RowsBytes & HasBook>;
  page(request: PageRequest, caller: ReadCaller): Promise<PageBytes & HasBook>;
  bytes(query: Query, caller: ReadCaller): Promise<RowsBytes>;
  /** The answer in the format of the SQL. */
  raw(query: Query, caller: ReadCaller): Promise<Buffer>;
  parsed<T>(query: Query, schema: RowSchema<T>, caller: ReadCaller): Promise<T[]>;
}

export const archiveRows = (clickhouse: ClickHouse, slots: AccountSlots): ArchiveRows => {
  const inSlot = <T>(caller: ReadCaller, read: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    slots.run(caller, () => read(caller.signal).catch(throwReadError));
  return {
    rows: (request, caller) => inSlot(caller, (signal) => readRows({ clickhouse, request, signal })),
    page: (request, caller) => inSlot(caller, (signal) => readPage({ clickhouse, request, signal })),
    bytes: (query, caller) => inSlot(caller, async (signal) => cutRows(await bytes(clickhouse, { ...query, signal }))),
    raw: (query, caller) => inSlot(caller, (signal) => bytes(clickhouse, { ...query, signal })),
    parsed: (query, schema, caller) => inSlot(caller, (signal) => rows(clickhouse, { ...query, signal }, schema)),
  };
};

interface Read<Request extends RowsRequest> {
  readonly clickhouse: ClickHouse;
  readonly request: Request;
  readonly signal: AbortSignal;
}

const readRows = async (read: Read<RowsRequest>): Promise<RowsBytes & HasBook> => {
  const { clickhouse, request, signal } = read;
  const selection = rowSelectionOf(request);
  if (!request.withBook) {
    const sql = topRowsSql(selection, request.withSizes);
    return { ...cutRows(await bytes(clickhouse, { sql, params: paramsOf(request), signal })), hasBook: false };
  }
  const figures = await figuresOf(read);
  if (figures.lastUs === null) return { ...figures, json: noRows };
  const params = paramsOf(request, figures.lastUs + 1);
  const { json } = cutRows(await bytes(clickhouse, { sql: bookRowsSql(selection, request.withSizes), params, signal }));
  return { ...figures, json };
};

const readPage = async (read: Read<PageRequest>): Promise<PageBytes & HasBook> => {
  const { clickhouse, request, signal } = read;
  const { form, withBook } = request;
  const options = formOptionsOf(request);
  const answer = (sql: string, endUs?: number): Promise<Buffer> =>
    bytes(clickhouse, { sql, params: { ...paramsOf(request, endUs), ...marketParams(request) }, signal });
  if (!isBinaryForm(form) && !withBook) {
    const page = await answer(topTextSql(form, options));
    return { ...cutPage(page, headerOf(form, options)), hasBook: false };
  }
  const figures = await figuresOf(read);
  const endUs = figures.lastUs === null ? request.window.startUs : figures.lastUs + 1;
  if (isBinaryForm(form)) return { ...figures, bytes: await answer(binaryRowsSql(form, options), endUs) };
  if (figures.lastUs === null) return { ...figures, bytes: Buffer.from(headerOf(form, options)) };
  return { ...figures, bytes: await answer(bookTextSql(form, options), endUs) };
};

const figures = z.object({ matched: z.int(), remaining: z.int(), last_us: z.int(), has_book: z.boolean() });

const figuresOf = async ({ clickhouse, request, signal }: Read<RowsRequest>): Promise<RowsInfo & HasBook> => {
  const [one] = await rows(
    clickhouse,
    { sql: figuresSql[rowSelectionOf(request)], params: paramsOf(request), signal },
    figures,
  );
  if (one === undefined) throw new Error('figures have a row');
  const { matched, remaining, last_us, has_book } = one;
  return {
    matched,
    rowsBeforeLimit: remaining,
    lastUs: remaining === 0 ? null : last_us,
    hasBook: request.withBook && has_book,
  };
};

const noRows = Buffer.from('[]');

const rowSelectionOf = ({ stepMs }: Pick<RowsRequest, 'stepMs'>): RowSelection =>
  stepMs === 0 ? 'everyRow' : 'downsampled';

export const formOptionsOf = (request: Omit<PageRequest, 'limit'>): FormOptions => {
  const { withBook: withBooks, withSizes, numbers } = request;
  return { selection: rowSelectionOf(request), withBooks, withSizes, numbers };
};

export const paramsOf = (
  { ticker, window, stepMs, limit }: RowsRequest,
  endUs = window.endUs,
): Readonly<Record<string, unknown>> => ({
  ticker,
  start_us: window.startUs,
  end_us: endUs,
  limit,
  ...(stepMs === 0 ? {} : { step_us: stepMs * 1_000 }),
});

export const marketParams = ({ eventTicker, series }: Pick<PageRequest, 'eventTicker' | 'series'>) =>
  ({ event_ticker: eventTicker ?? '', series: series ?? '' }) as const;

/** A query that ClickHouse rejects is our fault. Any other failure is an outage. */
export const throwReadError = (cause: unknown): never => {
  if (cause instanceof ClickHouseError && !isServerError(cause)) throw cause;
  const why = cause instanceof QueryTimeoutError ? 'did not respond in time' : 'is temporarily unavailable';
  throw new DomainError('unavailable', `The archive ${why}. Try again in a few seconds.`, { cause });
};
