import { type Contract, DomainError, observationFields, timeseriesRpc, utcDayOf } from '@almanac/contracts';
import { bytesOf } from '@almanac/bus';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { z } from 'zod';
import type { Callers } from '../../testing/fixture.js';
import { openUs } from './twin-markets.js';

type Read = (ticker: string, asOf: number) => Promise<string>;

const parquetText = async (bytes: Buffer): Promise<string> => {
  const file = new Uint8Array(bytes).buffer;
  const { key_value_metadata: metadata = [] } = parquetMetadata(file);
  const parts = [await parquetReadObjects({ file, compressors }), metadata];
  return JSON.stringify(parts, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
};

const nextCursor = /(?<="next_cursor":")[\w-]+/g;
/** A cursor begins with a hash of its listing, of which the ticker is a part. */
const positionOf = (cursor: string): string =>
  Buffer.from(cursor, 'base64url')
    .toString()
    .replace(/^\["[^"]*",/, '');

type Reading = <In extends z.ZodType>(
  contract: Contract<In>,
  inputOf: (ticker: string, as_of: number) => z.input<In>,
) => Read;

const context = { requestId: 'test', account: 'a1', plan: 'full_book' };

const readingBy =
  ({ rpc }: Callers): Reading =>
  (contract, inputOf) =>
  async (ticker, asOf) => {
    try {
      const reply = await rpc.forward(contract, { input: inputOf(ticker, asOf), context });
      const { version: _counts, ...meta } = reply.meta;
      const bytes = Buffer.from(await bytesOf(reply));
      const text = bytes.subarray(0, 4).toString() === 'PAR1' ? await parquetText(bytes) : bytes.toString();
      // The hash is of the bytes, in which the tickers differ.
      const head = JSON.stringify(meta).replace(/"sha256":"[0-9a-f]+"/, '');
      return `${text}\n${head}`.replaceAll(ticker, '<ticker>').replaceAll(nextCursor, positionOf);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return `${error.code}: ${error.detail}`.replaceAll(ticker, '<ticker>');
    }
  };

const { snapshots, trades, candles, candleBatch, book, marketsAt, preview, eventSnapshots, quality } = timeseriesRpc;
const start = openUs / 1e6;
const windows = {
  default: {},
  'from start': { start_ts: start },
  'until end': { end_ts: start + 300 },
  given: { start_ts: start - 30, end_ts: start + 700 },
  'too long': { start_ts: start - 30, end_ts: start + 90_000 },
} as const;
const csv = { format: 'csv', whole: true } as const;
const filled = { fill: 'previous', points: 50 } as const;

const windowReads = (reading: Reading): readonly (readonly [string, Read])[] =>
  Object.entries(windows).flatMap(([name, window]) => [
    [
      `snapshots ${name}`,
      reading(snapshots, (ticker, as_of) => ({ ticker, as_of, include_book: true, ...window })),
    ] as const,
    [
      `snapshots ${name} as csv`,
      reading(snapshots, (ticker, as_of) => ({ ticker, as_of, ...csv, ...window })),
    ] as const,
    [`trades ${name}`, reading(trades, (ticker, as_of) => ({ ticker, as_of, limit: 7, ...window }))] as const,
    [`candles ${name}`, reading(candles, (ticker, as_of) => ({ ticker, as_of, ...window }))] as const,
    [`filled candles ${name}`, reading(candles, (ticker, as_of) => ({ ticker, as_of, ...filled, ...window }))] as const,
  ]);

const moments = Array.from({ length: 30 }, (_, index) => start - 60 + index * 20);
const everyRow = { step_ms: 0, include_book: true, format: 'parquet', whole: true } as const;
const sized = { step_ms: 0, sizes: true } as const;
const newestFirst = { order: 'desc', ...csv } as const;
const days = { from: utcDayOf(openUs - 86_400e6), to: utcDayOf(openUs) } as const;
const grid = { step_ms: 7_000, start_ts: start - 30, end_ts: start + 500 } as const;

/** Every read of the service about a past time, as the text of its answer. A refusal is an answer, too. */
export const pastReads = (callers: Callers): ReadonlyMap<string, Read> => {
  const reading = readingBy(callers);
  const books = moments.filter((_, index) => index % 5 === 0);
  return new Map<string, Read>([
    ...windowReads(reading),
    ['every snapshot as parquet', reading(snapshots, (ticker, as_of) => ({ ticker, as_of, ...everyRow }))],
    ['every snapshot with sizes', reading(snapshots, (ticker, as_of) => ({ ticker, as_of, ...sized }))],
    ['trades as csv, newest first', reading(trades, (ticker, as_of) => ({ ticker, as_of, ...newestFirst }))],
    ['book', reading(book, (ticker, as_of) => ({ ticker, as_of }))],
    ...books.map(
      (at_ts) => [`book at ${at_ts}`, reading(book, (ticker, as_of) => ({ ticker, as_of, at_ts }))] as const,
    ),
    ['moments', reading(marketsAt, (ticker, as_of) => ({ tickers: [ticker], at_ts: moments, as_of }))],
    [
      'moments with sizes',
      reading(marketsAt, (ticker, as_of) => ({
        tickers: [ticker],
        at_ts: moments,
        as_of,
        fields: [...observationFields],
      })),
    ],
    ['candles of five minutes', reading(candles, (ticker, as_of) => ({ ticker, as_of, period_s: 300 }))],
    ['candles of several', reading(candleBatch, (ticker, as_of) => ({ tickers: [ticker], as_of }))],
    ['preview', reading(preview, (ticker, as_of) => ({ ticker, as_of }))],
    ...(['market', 'day', 'hour'] as const).map(
      (by) => [`quality by ${by}`, reading(quality, (event, as_of) => ({ event, as_of, by, ...days }))] as const,
    ),
    ['event', reading(eventSnapshots, (ticker, as_of) => ({ event_id: ticker, as_of, ...grid }))],
    [
      'event as csv',
      reading(eventSnapshots, (ticker, as_of) => ({ event_id: ticker, as_of, ...grid, format: 'csv' as const })),
    ],
  ]);
};
