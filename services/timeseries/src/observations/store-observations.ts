import { isValidId, subjects } from '@almanac/bus';
import { type ClickHouse, ClickHouseError, insertBytes, isDiskFull, isServerError } from '@almanac/clickhouse';
import { bookColumns, DomainError, observationColumns, type timeseriesRpc, tradeColumns } from '@almanac/contracts';
import { type DataChange, type EventStore, recordDataChange } from '@almanac/event-store';
import { forEachConcurrent } from '@almanac/runtime';
import type { z } from 'zod';

export type StoreInput = z.output<typeof timeseriesRpc.store.input>;

export interface StoreDeps {
  readonly clickhouse: ClickHouse;
  readonly store: EventStore;
}

export interface StoreCall {
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
}

/** Concurrent appends for one batch. Each market has its own subject, so they do not conflict. */
const changesAtOnce = 32;

/**
 * Stores the rows and spans of a batch, then records a data change for each of its markets. Returns the number of rows.
 * A batch that failed halfway can be sent again: the rows are the same, and a version that moves twice only costs one
 * more read.
 */
export const storeObservations = async (deps: StoreDeps, input: StoreInput, call: StoreCall): Promise<number> => {
  const rows = checkedRows(input, call.body);
  if (rows > 0) await insert(deps.clickhouse, input.columns, call);
  if (input.spans.length > 0) await insertSpans(deps.clickhouse, input.spans, call.signal);
  const record = (change: DataChange): Promise<unknown> =>
    recordDataChange(deps.store, subjects.archive(change.ticker), change, {
      timeoutMs: Math.max(1, call.remainingMs()),
    });
  await forEachConcurrent(changesOf(input), changesAtOnce, record);
  return rows;
};

/** A market with only spans has no new rows, but its coverage changes. */
const changesOf = ({ columns, markets, spans }: StoreInput): DataChange[] => {
  const withRows = new Set(markets.map(({ ticker }) => ticker));
  const tickersWithSpansOnly = new Set(spans.flatMap(({ ticker }) => (withRows.has(ticker) ? [] : [ticker])));
  return [
    ...markets.map((market) =>
      columns === 'trades'
        ? { ...market, cause: 'trades' as const, min_us: null, max_us: null }
        : { ...market, cause: 'observations' as const },
    ),
    ...Array.from(tickersWithSpansOnly, (ticker) => ({
      ticker,
      cause: 'observations' as const,
      rows: 0,
      min_us: null,
      max_us: null,
    })),
  ];
};

/** `markets` must declare every row of the body. Otherwise a market could change without an event. */
const checkedRows = (input: StoreInput, body: Uint8Array): number => {
  const nameless = [...input.markets, ...input.spans].find(({ ticker }) => !isValidId(ticker));
  if (nameless !== undefined) {
    const shown = nameless.ticker.slice(0, 80);
    throw new DomainError('invalid_input', `The ticker ${shown}… is too long.`);
  }
  const rows = input.markets.reduce((sum, market) => sum + market.rows, 0);
  const lines = linesIn(body);
  if (lines === rows) return rows;
  throw new DomainError('invalid_input', `The batch has ${lines} rows, but its markets declare ${rows}.`);
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
      table: kind === 'trades' ? 'trades' : 'snapshots',
      columns: columnsOf(kind, body),
      format: 'TabSeparated',
      body: Buffer.from(body.buffer, body.byteOffset, body.length),
      signal,
    });
  } catch (cause) {
    throw refusal(cause);
  }
};

const withBooks = [...observationColumns, ...bookColumns];

/** An ingest from before 008_gaps.sql does not send the last column, the coin price's age. It stays null. */
const columnsOf = (kind: StoreInput['columns'], body: Uint8Array): readonly string[] => {
  if (kind === 'trades') return tradeColumns;
  if (kind !== 'l2') return observationColumns;
  return fieldsOfFirst(body) === withBooks.length - 1 ? withBooks.slice(0, -1) : withBooks;
};

const tab = 0x09;

/** TabSeparated escapes a tab inside a value. */
const fieldsOfFirst = (body: Uint8Array): number => {
  const end = body.indexOf(lineFeed);
  const first = end < 0 ? body : body.subarray(0, end);
  return first.reduce((fields, byte) => (byte === tab ? fields + 1 : fields), 1);
};

const insertSpans = async (clickhouse: ClickHouse, spans: StoreInput['spans'], signal: AbortSignal): Promise<void> => {
  const body = Buffer.from(spans.map((span) => JSON.stringify(span)).join('\n'));
  const columns = ['ticker', 'layer', 'start_us', 'end_us', 'tolerance_us', 'end_reason'] as const;
  try {
    await insertBytes(clickhouse, { table: 'recorded_spans', columns, format: 'JSONEachRow', body, signal });
  } catch (cause) {
    throw refusal(cause);
  }
};

/** Error types for values that do not fit their columns. ClickHouse stores nothing of such a batch. */
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
  if (isDiskFull(cause)) {
    return new DomainError('unavailable', 'The disk of the archive is full. Free some space, then try again.', {
      cause,
    });
  }
  if (!(cause instanceof ClickHouseError) || isServerError(cause)) {
    return new DomainError('unavailable', 'The archive cannot store data right now. Try again in a few seconds.', {
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
