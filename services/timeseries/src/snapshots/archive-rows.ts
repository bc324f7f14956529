import {
  bytes,
  type ClickHouse,
  ClickHouseError,
  type Query,
  QueryTimeoutError,
  rows,
  type RowSchema,
} from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { z } from 'zod';
import type { Window } from '../window/window.js';
import type { ReadSlots } from './read-slots.js';
import { cutRows, type RowsBytes } from './rows-bytes.js';
import { bookRowsSql, countSql, topRowsSql } from './rows-sql.js';

export interface RowsAsk {
  readonly ticker: string;
  readonly window: Pick<Window, 'startUs' | 'endUs'>;
  readonly stepMs: number;
  readonly limit: number;
  readonly withBook: boolean;
}

/** Reads of stored rows, each within a slot of this process and the caller's deadline. Throws `unavailable`. */
export interface ArchiveRows {
  rows(ask: RowsAsk, signal: AbortSignal): Promise<RowsBytes>;
  /** A query of `rows-sql.ts`. */
  bytes(query: Query, signal: AbortSignal): Promise<RowsBytes>;
  parsed<T>(query: Query, schema: RowSchema<T>, signal: AbortSignal): Promise<T[]>;
}

const counts = z.object({ matched: z.int(), kept: z.int() });

export const archiveRows = (clickhouse: ClickHouse, slots: ReadSlots): ArchiveRows => {
  const inSlot = <T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> =>
    slots.run(signal, () => read().catch(refused));
  const readCut = async (query: Query, signal: AbortSignal): Promise<RowsBytes> =>
    cutRows(await bytes(clickhouse, { ...query, signal }));

  const withBooks = async (params: Query['params'] & object, form: Form, signal: AbortSignal): Promise<RowsBytes> => {
    const [count] = await rows(clickhouse, { sql: countSql[form], params, signal }, counts);
    return { ...(await readCut({ sql: bookRowsSql[form], params }, signal)), ...count };
  };
  return {
    rows: ({ ticker, window, stepMs, limit, withBook }, signal) =>
      inSlot(signal, () => {
        const params = {
          ticker,
          start_us: window.startUs,
          end_us: window.endUs,
          limit,
          ...(stepMs === 0 ? {} : { step_us: stepMs * 1_000 }),
        };
        const form = stepMs === 0 ? 'everyRow' : 'downsampled';
        return withBook ? withBooks(params, form, signal) : readCut({ sql: topRowsSql[form], params }, signal);
      }),
    bytes: (query, signal) => inSlot(signal, () => readCut(query, signal)),
    parsed: (query, schema, signal) => inSlot(signal, () => rows(clickhouse, { ...query, signal }, schema)),
  };
};

type Form = keyof typeof topRowsSql;

/** What ClickHouse refuses is a fault of ours; what it could not be asked, or not in time, is an outage. */
const refused = (cause: unknown): never => {
  if (cause instanceof ClickHouseError) throw cause;
  const why = cause instanceof QueryTimeoutError ? 'did not answer in time' : 'cannot be reached';
  throw new DomainError('unavailable', `The archive ${why}. Try again shortly.`, { cause });
};
