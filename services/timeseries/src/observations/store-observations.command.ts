import { isValidId } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import {
  bookColumns,
  coin,
  coinPriceColumns,
  DomainError,
  type InputOf,
  observationColumns,
  type OutputOf,
  sizeFields,
  type timeseriesRpc,
  tradeColumns,
  venueCandleColumns,
} from '@almanac/contracts';
import type { DataChange } from '@almanac/event-store';
import type { Announcements } from './announcements.js';
import type { InsertQueue } from './insert-queue.js';
import { refusal } from './refusal.js';

type StoreInput = InputOf<typeof timeseriesRpc.store>;

export interface StoreDeps {
  readonly inserts: InsertQueue;
  readonly announcements: Announcements;
}

export type StoreCall = Pick<RpcContext, 'body' | 'signal' | 'remainingMs'>;

/**
 * Stores the rows and spans of a batch, then records a data change for each of its markets. Returns the number of rows.
 * A batch that failed halfway can be sent again: the rows are the same, and a version that moves twice only costs one
 * more read. If nobody sends it again, its changes are recorded later (announcements.ts).
 */
export const storeObservations = async (
  deps: StoreDeps,
  input: StoreInput,
  call: StoreCall,
): Promise<OutputOf<typeof timeseriesRpc.store>> => {
  const { inserts, announcements } = deps;
  const rows = checkedRows(input, call.body);
  if (input.columns === 'coins') {
    // They change no market before they are joined with its rows.
    if (rows > 0) await insert(inserts, input.columns, call);
    return { rows };
  }
  const changes = changesOf(input);
  const batch = await announcements.open(changes).catch((error: unknown) => {
    throw refusal(error);
  });
  try {
    if (rows > 0) await insert(inserts, input.columns, call);
    if (input.spans.length > 0) await insertSpans(inserts, input.spans, call.signal);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid_input') announcements.close(batch);
    throw error;
  }
  await announcements.announce(changes, () => Math.max(1, call.remainingMs));
  announcements.close(batch);
  return { rows };
};

/** A market with only spans has no new rows, but its coverage changes. */
const changesOf = ({ columns, markets, spans }: StoreInput): DataChange[] => {
  const withRows = new Set(markets.map(({ ticker }) => ticker));
  const tickersWithSpansOnly = new Set(spans.flatMap(({ ticker }) => (withRows.has(ticker) ? [] : [ticker])));
  return [
    ...markets.map((market) =>
      columns === 'trades' || columns === 'candles'
        ? { ...market, cause: columns, min_us: null, max_us: null }
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
  if (input.columns === 'coins' && !input.markets.every(({ ticker }) => coin.safeParse(ticker).success))
    throw new DomainError('invalid_input', 'A coin must be a symbol, such as BTC.');
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

const insert = async (
  inserts: InsertQueue,
  kind: StoreInput['columns'],
  { body, signal }: StoreCall,
): Promise<void> => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const columns = columnsOf(kind, body);
  try {
    await inserts.insert({ table: tableOf(kind), columns, format: 'TabSeparated', body: bytes, signal });
  } catch (cause) {
    throw refusal(cause);
  }
};

const tableOf = (kind: StoreInput['columns']): string => {
  if (kind === 'coins') return 'coin_prices';
  if (kind === 'candles') return 'venue_candles';
  return kind === 'trades' ? 'trades' : 'snapshots';
};

const withBooks = [...observationColumns, ...bookColumns];

/** An ingest from before 008_gaps.sql does not send the last column, the coin price's age. It stays null. */
const columnsOf = (kind: StoreInput['columns'], body: Uint8Array): readonly string[] => {
  if (kind === 'trades') return tradeColumns;
  if (kind === 'candles') return venueCandleColumns;
  if (kind === 'coins') return coinPriceColumns;
  if (kind === 'top_sizes') return [...observationColumns, ...sizeFields];
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

const insertSpans = async (inserts: InsertQueue, spans: StoreInput['spans'], signal: AbortSignal): Promise<void> => {
  const body = Buffer.from(spans.map((span) => `${JSON.stringify(span)}\n`).join(''));
  const times = ['start_us', 'end_us', 'tolerance_us', 'sample_us'] as const;
  const columns = ['ticker', 'layer', ...times, 'end_reason', 'basis', 'clock'] as const;
  try {
    await inserts.insert({ table: 'recorded_spans', columns, format: 'JSONEachRow', body, signal });
  } catch (cause) {
    throw refusal(cause);
  }
};
