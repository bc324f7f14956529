import { clickhouseRequests } from './clickhouse-request.js';
import { type Shape, tickerOf } from './data.js';
import { makeOnce } from './export-data.js';
import type { BenchHarness } from './harness.js';
import { compareHttp, getRequest, type HttpSide, requestBytes } from './http-side.js';
import type { BenchRow, Measured } from './row.js';
import { snapshotQuery } from './snapshot-query.js';

const windowS = 900;
const stepMs = 1_000;
const limit = 1_000;

/** The window with this number: the next one is of another market, and none repeats for a long time. */
const windowAt = (index: number, { marketsN, secondsN, openS, ...shape }: Shape) => {
  const lengthS = Math.min(windowS, Math.floor(secondsN / 2));
  const startTs = openS + ((Math.floor(index / marketsN) * 11) % (secondsN - lengthS));
  const ticker = tickerOf(index % marketsN, { marketsN, secondsN, openS, ...shape });
  return { ticker, startTs, endTs: startTs + lengthS, stepMs, limit };
};

const pathAt = (index: number, shape: Shape, withSizes: boolean): string => {
  const { ticker, startTs, endTs } = windowAt(index, shape);
  const more = withSizes ? '&sizes=true' : '';
  return `/markets/${ticker}/snapshots?start_ts=${startTs}&end_ts=${endTs}&step_ms=${stepMs}&limit=${limit}${more}`;
};

const sideOf = ({ gateway: { port, headers }, size: { sizes } }: BenchHarness, withSizes: boolean): HttpSide => ({
  port,
  request: (index) => getRequest(`/api/v1${pathAt(index, sizes.shape, withSizes)}`, headers),
});

const bytesOf = async ({ gateway, size: { sizes } }: BenchHarness, withSizes: boolean): Promise<number> =>
  (await requestBytes(gateway.url + pathAt(0, sizes.shape, withSizes), { headers: gateway.headers })).length;

/** Sizes make each row longer. What they cost beyond that is the cost of reading them. */
const againstWithout = async (harness: BenchHarness): Promise<Measured> => {
  await makeOnce(harness, harness.size.sizes.shape);
  const [with_, without] = [await bytesOf(harness, true), await bytesOf(harness, false)];
  const found = await compareHttp(harness, {
    ours: sideOf(harness, true),
    reference: sideOf(harness, false),
    // The rows of both sides differ.
    check: { kind: 'text', text: '"yes_best_ask":' },
    distinct: 'all',
  });
  const requests = `${found.ours.toFixed(0)} requests/s, without sizes ${found.reference.toFixed(0)}`;
  const notes = [...found.notes, requests, `an answer has ${with_} bytes, without sizes ${without}`];
  const [ours, reference] = [found.ours * with_, found.reference * without];
  return { ours, reference, ratio: (found.ratio * with_) / without, notes };
};

const againstClickHouse = async (harness: BenchHarness): Promise<Measured> => {
  const { clickhouse, size } = harness;
  const { shape } = size.sizes;
  await makeOnce(harness, shape);
  const requestOf = await clickhouseRequests(clickhouse);
  const reference = {
    port: Number(new URL(clickhouse.url).port),
    request: (index: number) => requestOf(snapshotQuery({ ...windowAt(index, shape), withSizes: true })),
  };
  return compareHttp(harness, { ours: sideOf(harness, true), reference, check: { kind: 'rows' }, distinct: 'all' });
};

export const sizesRows: readonly BenchRow[] = [
  {
    name: 'snapshots with sizes, bytes',
    against: 'bytes of the same windows without sizes',
    // At most 15 % more than the longer rows explain.
    threshold: { atLeast: 0.87 },
    unit: 'bytes/s',
    measure: againstWithout,
  },
  {
    name: 'snapshots with sizes',
    against: 'same SQL at ClickHouse over HTTP',
    threshold: { atLeast: 0.6 },
    unit: 'requests/s',
    measure: againstClickHouse,
  },
];
