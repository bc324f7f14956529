import assert from 'node:assert/strict';
import {
  candlesResponse,
  eventDetailResponse,
  type ExportStream,
  type Market,
  marketDetailResponse,
  seriesDetailResponse,
  snapshotsResponse,
} from '@almanac/contracts';
import type { ApiClient } from '@almanac/test-e2e';
import type { z } from 'zod';
import { type Cell, columnsOf, hasObservations, type Table } from './table.js';

/** The target of POST /exports. */
export type Target =
  { readonly event: string } | { readonly ticker: string } | { readonly series: string; readonly day: string };

/** The time span of an archive's observations, which the API is queried for. */
export interface Span {
  readonly from_us: number;
  readonly to_us: number;
}

/** The expected rows of a file from the API: market details and snapshots, in the order and columns of a file. */
export interface ExpectedTables {
  table(target: Target, streams: readonly ExportStream[]): Promise<Table>;
  markets(target: Target, streams: readonly ExportStream[]): Promise<number>;
}

export const expectedTables = (api: ApiClient, span: Span): ExpectedTables => {
  const market = memoize(async (ticker) => {
    const shown = await api.json(marketDetailResponse, `/markets/${encodeURIComponent(ticker)}`);
    return shown.market;
  });
  const observations = memoize((ticker) => observationsOf(api, ticker, span));
  const candles = memoize((ticker) => candlesOf(api, ticker, span));
  const rowsOf = async (ticker: string, streams: readonly ExportStream[]): Promise<Row[]> => {
    const found = [
      ...(hasObservations(streams) ? await observations(ticker) : []),
      ...(streams.includes('candles') ? await candles(ticker) : []),
    ];
    return found.toSorted((a, b) => a.us - b.us);
  };
  const selected = async (target: Target, streams: readonly ExportStream[]) => {
    const day = 'day' in target ? dayOf(target.day) : undefined;
    const found: { market: Market; rows: Row[] }[] = [];
    for (const ticker of await tickersOf(api, target)) {
      const one = await market(ticker);
      const own = await rowsOf(ticker, streams);
      const rows = day === undefined ? own : own.filter(({ dayUs }) => dayUs >= day.from_us && dayUs < day.to_us);
      const isOfDay = day === undefined || (own.length > 0 ? rows.length > 0 : wasLastOpenOn(one, day));
      if (isOfDay) found.push({ market: one, rows });
    }
    return found;
  };
  return {
    markets: async (target, streams) => (await selected(target, streams)).length,
    table: async (target, streams) => {
      const columns = columnsOf(streams);
      const rows = (await selected(target, streams)).flatMap(({ market: one, rows: own }) => {
        const shown = own.length > 0 ? own : [null];
        return shown.map((row) => columns.map((column) => cellOf(column, one, row)));
      });
      return { columns, rows };
    },
  };
};

/** Loads each entity once for all files that contain it. */
const memoize = <T>(load: (name: string) => Promise<T>): ((name: string) => Promise<T>) => {
  const known = new Map<string, Promise<T>>();
  return (name) => {
    const found = known.get(name) ?? load(name);
    known.set(name, found);
    return found;
  };
};

const dayOf = (day: string): Span => {
  const from_us = Date.parse(`${day}T00:00:00Z`) * 1_000;
  return { from_us, to_us: from_us + 86_400e6 };
};

const micros = (seconds: number): number => Math.round(seconds * 1e6);

/** Undefined when the market's times are unknown: then only an observation shows it. */
const wasOpen = ({ open_ts, close_ts }: Market, { from_us, to_us }: Span): boolean | undefined =>
  open_ts === null || close_ts === null ? undefined : micros(open_ts) < to_us && micros(close_ts) > from_us;

/** The only row of a market is of the day just before its close, or else of its open or its settlement. */
const wasLastOpenOn = ({ open_ts, close_ts, settlement_ts }: Market, { from_us, to_us }: Span): boolean => {
  const us = close_ts === null ? micros(open_ts ?? settlement_ts ?? 0) : micros(close_ts) - 1;
  return us >= from_us && us < to_us;
};

/** Sorts by bytes, as in a file. */
const inOrder = (tickers: readonly string[]): string[] =>
  tickers.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const pageOfSeries = 200;

/** The markets that a file of the target may contain. */
const tickersOf = async (api: ApiClient, target: Target): Promise<string[]> => {
  if ('ticker' in target) return [target.ticker];
  const tickers: string[] = [];
  if ('event' in target) {
    const { markets, has_more } = await api.json(
      eventDetailResponse,
      `/events/${encodeURIComponent(target.event)}?limit=400`,
    );
    assert.equal(has_more, false);
    return inOrder(markets.map(({ ticker }) => ticker));
  }
  for (let offset: number | null = 0; offset !== null;) {
    const path: string = `/series/${encodeURIComponent(target.series)}?limit=${pageOfSeries}&offset=${offset}`;
    const page: z.output<typeof seriesDetailResponse> = await api.json(seriesDetailResponse, path);
    const ofDay = page.markets.filter((one) => wasOpen(one, dayOf(target.day)) !== false);
    tickers.push(...ofDay.map(({ ticker }) => ticker));
    offset = page.next_offset;
  }
  return inOrder(tickers);
};

interface Row {
  readonly us: number;
  /** Its UTC day is that of the row. */
  readonly dayUs: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Every stored row, with books, window by window. */
const observationsOf = async (api: ApiClient, ticker: string, { from_us, to_us }: Span): Promise<Row[]> => {
  const found: Row[] = [];
  for (let start: number | null = from_us / 1e6; start !== null;) {
    const query: string = `start_ts=${start}&end_ts=${to_us / 1e6}&step_ms=0&limit=5000&include_book=true`;
    const path: string = `/markets/${encodeURIComponent(ticker)}/snapshots?${query}`;
    const page: z.output<typeof snapshotsResponse> = await api.json(snapshotsResponse, path);
    assert.equal(page.include_book, true);
    for (const snapshot of page.snapshots) {
      assert.ok(snapshot.ts !== null);
      const us = micros(snapshot.ts);
      found.push({ us, dayUs: us, values: snapshot });
    }
    start = page.next_start_ts;
  }
  return found;
};

const marketColumns = new Set<string>(columnsOf(['settlement']));

/** The candles of the venue, in whose minutes nothing else is stored. */
const candlesOf = async (api: ApiClient, ticker: string, { from_us, to_us }: Span): Promise<Row[]> => {
  const window = `start_ts=${from_us / 1e6}&end_ts=${to_us / 1e6}&period_s=60`;
  const path = `/markets/${encodeURIComponent(ticker)}/candles?${window}`;
  const { candles, has_more } = await api.json(candlesResponse, path);
  assert.equal(has_more, false);
  return candles
    .filter(({ source }) => source === 'venue')
    .map((candle) => ({
      us: micros(candle.end_ts),
      dayUs: micros(candle.start_ts),
      values: { ts: candle.end_ts, ...flat(candle) },
    }));
};

/** Nested values in the columns of the answer in CSV. */
const flat = (candle: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(candle).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([part, one]: [string, unknown]) => [`${name}_${part}`, one])
        : [[name, value]],
    ),
  );

const cellOf = (column: string, market: Market, row: Row | null): Cell => {
  const value: unknown = marketColumns.has(column) ? market[column as keyof Market] : (row?.values[column] ?? null);
  return column.endsWith('ts') && typeof value === 'number' ? micros(value) : (value as Cell);
};
