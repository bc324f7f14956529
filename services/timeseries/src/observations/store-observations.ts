import { isNameable, subjects } from '@almanac/bus';
import { type ClickHouse, ClickHouseError, insertBytes } from '@almanac/clickhouse';
import { bookColumns, DomainError, observationColumns, type timeseriesRpc } from '@almanac/contracts';
import { type EventStore, recordDataChange } from '@almanac/event-store';
import type { z } from 'zod';
import { fromBus } from '../from-bus.js';

export type StoreInput = z.output<typeof timeseriesRpc.store.input>;

export interface StoreParts {
  readonly clickhouse: ClickHouse;
  readonly store: EventStore;
}

export interface StoreCall {
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
}

/** Data changes under way at once for one batch: its markets are different subjects, so they do not hinder another. */
const changesAtOnce = 32;

/**
 * Stores a batch, then tells of each of its markets that its data has changed. A batch whose second half failed may be
 * stored again: the rows are the same, and a market whose version moves twice is only read once more than needed.
 */
export const storeObservations = async (parts: StoreParts, input: StoreInput, call: StoreCall): Promise<number> => {
  const rows = checkedRows(input, call.body);
  await insert(parts.clickhouse, input.columns, call);
  const left = [...input.markets];
  const work = async (): Promise<void> => {
    for (let market = left.pop(); market !== undefined; market = left.pop()) {
      const change = { ...market, cause: 'observations' } as const;
      await recordDataChange(parts.store, subjects.archive(market.ticker), change, {
        timeoutMs: Math.max(1, call.remainingMs()),
      });
    }
  };
  await fromBus(Promise.all(Array.from({ length: Math.min(changesAtOnce, left.length) }, work)));
  return rows;
};

/** The head must name all that the body holds, or a reader would not hear of some of it. */
const checkedRows = (input: StoreInput, body: Uint8Array): number => {
  const nameless = input.markets.find(({ ticker }) => !isNameable(ticker));
  if (nameless !== undefined) {
    const shown = nameless.ticker.slice(0, 80);
    throw new DomainError('invalid_input', `A market cannot have the name ${shown}…: it is too long.`);
  }
  const rows = input.markets.reduce((sum, market) => sum + market.rows, 0);
  const lines = linesIn(body);
  if (lines === rows) return rows;
  throw new DomainError('invalid_input', `The batch has ${lines} rows, and its markets have ${rows} together.`);
};

const lineFeed = 0x0a;

/** TabSeparated escapes a line feed inside a value, so each line is a row. */
const linesIn = (body: Uint8Array): number => {
  let lines = 0;
  for (let at = body.indexOf(lineFeed); at >= 0; at = body.indexOf(lineFeed, at + 1)) lines += 1;
  return body.length > 0 && body.at(-1) !== lineFeed ? lines + 1 : lines;
};

const insert = async (clickhouse: ClickHouse, kind: StoreInput['columns'], call: StoreCall): Promise<void> => {
  const { body, signal } = call;
  try {
    await insertBytes(clickhouse, {
      table: 'snapshots',
      columns: kind === 'l2' ? [...observationColumns, ...bookColumns] : observationColumns,
      format: 'TabSeparated',
      body: Buffer.from(body.buffer, body.byteOffset, body.length),
      signal,
    });
  } catch (cause) {
    throw refusal(cause);
  }
};

/** What ClickHouse answers for values that do not fit their columns; it stores nothing of such a batch. */
const badValues = new Set([
  'CANNOT_PARSE_TEXT',
  'CANNOT_PARSE_ESCAPE_SEQUENCE',
  'CANNOT_PARSE_QUOTED_STRING',
  'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
  'CANNOT_READ_ALL_DATA',
  'CANNOT_PARSE_DATE',
  'CANNOT_PARSE_DATETIME',
  'CANNOT_PARSE_NUMBER',
  'CANNOT_PARSE_BOOL',
  'CANNOT_READ_ARRAY_FROM_TEXT',
  'INCORRECT_DATA',
  'ARGUMENT_OUT_OF_BOUND',
  'DECIMAL_OVERFLOW',
  'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
  'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
  'TYPE_MISMATCH',
]);

const refusal = (cause: unknown): unknown => {
  if (!(cause instanceof ClickHouseError)) {
    return new DomainError('unavailable', 'The archive cannot store now. Try again shortly.', { cause });
  }
  if (cause.type === 'NOT_ENOUGH_SPACE') {
    return new DomainError('unavailable', 'The disk of the archive is full. Free some space, then try again.', {
      cause,
    });
  }
  if (cause.type === undefined || !badValues.has(cause.type)) return cause;
  const [, row] = /\(at row (\d+)\)/.exec(cause.message) ?? [];
  const where = row === undefined ? '' : `, first in row ${row}`;
  return new DomainError(
    'invalid_input',
    `The batch has values that do not fit their columns${where}. Nothing was stored.`,
    {
      cause,
    },
  );
};
