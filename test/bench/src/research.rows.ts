import type { Query } from '@almanac/clickhouse';
// The SQL of the service itself, imported from its build, so that both sides always read the same way.
import { candleTable } from '../../../services/timeseries/dist/candles/candle-sql.js';
import { gridTables } from '../../../services/timeseries/dist/event-grid/grid-sql.js';
import { tableSql } from '../../../services/timeseries/dist/tables/table-sql.js';
import { clickhouseSide } from './clickhouse-request.js';
import { eventOf, makeOnce, type Shape, tickerOf } from './data.js';
import type { BenchHarness } from './harness.js';
import { compareHttp, gatewaySide, headerLines } from './http-side.js';
import type { BenchEntry } from './row.js';
import { type BenchSize, inWords } from './size.js';

const points = 500;
const hours6 = 21_600;

/** Candles of the window with this number, and the SQL that answers the same. */
const candleRead = (index: number, shape: Shape) => {
  const lengthS = Math.min(hours6, Math.floor(shape.secondsN / 2));
  const startS = shape.openS + ((Math.floor(index / shape.marketsN) * 60) % (shape.secondsN - lengthS));
  const ticker = tickerOf(index % shape.marketsN, shape);
  // The shortest divisor of a day of which the window has at most 500.
  const periodS = lengthS === hours6 ? 45 : Math.max(1, Math.ceil(lengthS / points));
  const path = `/markets/${ticker}/candles?start_ts=${startS}&end_ts=${startS + lengthS}&points=${points}`;
  const params = {
    tickers: [ticker],
    ends_us: [(shape.openS + shape.secondsN) * 1e6],
    gaps: [[]],
    start_us: Math.floor(startS / periodS) * periodS * 1e6,
    end_us: (startS + lengthS) * 1e6,
    period_us: periodS * 1e6,
  };
  const table = candleTable({ fill: 'none', isTraded: false, hasGaps: false, hasVenue: false });
  return { path, query: { sql: tableSql('json', table, 'decimal'), params: textParams(params) } };
};

/** Parameters as ClickHouse reads them in a URL. */
const textParams = (params: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      Array.isArray(value) ? JSON.stringify(value).replaceAll('"', "'") : String(value),
    ]),
  );

const compareReads = async (
  harness: BenchHarness,
  readOf: (index: number) => { readonly path: string; readonly query: Query },
) =>
  compareHttp(harness, {
    ours: gatewaySide(harness.gateway, (index) => readOf(index).path, { 'accept-encoding': 'identity' }),
    reference: await clickhouseSide(harness.clickhouse, (index) => readOf(index).query),
    check: { kind: 'rows' },
  });

const candles = async (harness: BenchHarness) => {
  const { shape } = harness.size.bulk;
  await makeOnce(harness, shape);
  return compareReads(harness, (index) => candleRead(index, shape));
};

const gridTimes = 900;

const eventGrid = async (harness: BenchHarness) => {
  const { event: shape } = harness.size;
  await makeOnce(harness, shape);
  const tickers = Array.from({ length: shape.marketsAnEvent }, (_, market) => tickerOf(market, shape));
  return compareReads(harness, (index) => {
    const startS = shape.openS + (index % (shape.secondsN - gridTimes));
    const path = `/events/${eventOf(0, shape)}/snapshots?start_ts=${startS}&end_ts=${startS + gridTimes}`;
    const params = {
      tickers,
      gaps: tickers.map(() => []),
      first_us: startS * 1e6,
      step_us: 1e6,
      times: gridTimes,
      last_us: (startS + gridTimes - 1) * 1e6,
      from_us: 0,
    };
    return {
      path,
      query: { sql: tableSql('json', gridTables.arrays.previous, 'decimal'), params: textParams(params) },
    };
  });
};

/** What a request may cost, in statements `SELECT 1`. */
const selectsMax = 60;

/** 1,000 pairs: 100 markets at 10 moments each. */
const marketsAt = async (harness: BenchHarness) => {
  const { gateway, clickhouse, size } = harness;
  const { archive } = size;
  const marketsN = Math.min(100, archive.marketsN);
  const request = (index: number): string => {
    const tickers = Array.from({ length: marketsN }, (_, at) => tickerOf((index + at) % archive.marketsN, archive));
    const at_ts = Array.from({ length: 10 }, (_, at) => archive.openS + 60 + ((index * 7 + at * 97) % 1_000));
    const body = JSON.stringify({ tickers, at_ts });
    const content = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };
    const lines = headerLines({ Host: '127.0.0.1', ...gateway.headers, ...content });
    return [`POST /api/v1/markets/at HTTP/1.1`, ...lines, '', body].join('\r\n');
  };
  const reference = await clickhouseSide(clickhouse, () => ({ sql: 'SELECT 1 FORMAT JSONEachRow' }));
  const ours = { port: gateway.port, request };
  const found = await compareHttp(harness, { ours, reference, check: { kind: 'text', text: '":' } });
  const notes = [`${(1 / found.ratio).toFixed(1)} x SELECT 1`];
  return { ours: found.ours, reference: found.reference / selectsMax, ratio: found.ratio * selectsMax, notes };
};

export const researchRows = ({ event: { marketsN } }: BenchSize): readonly BenchEntry[] => [
  {
    name: 'candles of 6 hours, 500 points',
    gain: 'A chart of any period appears as fast as the database can compute it.',
    against: 'same SQL at ClickHouse over HTTP',
    threshold: { atLeast: 0.8 },
    unit: 'requests/s',
    measure: candles,
  },
  {
    name: `event of ${inWords(marketsN)} markets, 900 grid times`,
    gain: 'A researcher reads all markets of an event on one time grid, and need not join them.',
    against: 'same SQL at ClickHouse over HTTP',
    threshold: { atLeast: 0.8 },
    unit: 'requests/s',
    measure: eventGrid,
  },
  {
    name: 'markets at moments, 1,000 pairs',
    gain: 'A backtest gets the prices of a hundred markets at ten moments by one small request.',
    against: `${selectsMax} x SELECT 1 at ClickHouse over HTTP`,
    threshold: { atLeast: 1 },
    unit: 'requests/s',
    measure: marketsAt,
  },
];
