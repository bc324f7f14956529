import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clickhouseRequests } from './clickhouse-request.js';
import { makeArchive, type Shape, tickerOf } from './data.js';
import type { BenchHarness } from './harness.js';
import { compareHttp, getRequest, type HttpSide, requestBytes } from './http-side.js';
import type { BenchRow, Measured } from './row.js';
import { snapshotQuery } from './snapshot-query.js';

const stepMs = 1_000;
const limit = 1_000;
const readers = 16;
/** In seconds. A window of a market with fewer rows is half of them. */
const windowMax = 900;
/** Windows begin at half seconds, so that they differ from those of other rows, which the gateway may have cached. */
const shiftS = 0.5;

interface Window {
  readonly ticker: string;
  readonly startTs: number;
  readonly endTs: number;
}

/** Another window of each market in turn, and of the same market none twice for a long time. */
const windowAt = (index: number, shape: Shape): Window => {
  const { marketsN, secondsN, openS } = shape;
  const lengthS = Math.min(windowMax, Math.floor(secondsN / 2));
  const round = Math.floor(index / marketsN);
  const startTs = openS + ((round * 17 + (index % marketsN)) % (secondsN - lengthS)) + shiftS;
  return { ticker: tickerOf((index * 7) % marketsN, shape), startTs, endTs: startTs + lengthS };
};

const searchOf = ({ startTs, endTs }: Window): string =>
  `?start_ts=${startTs}&end_ts=${endTs}&step_ms=${stepMs}&limit=${limit}`;

const gatewaySide = ({ gateway: { port, headers } }: BenchHarness, shape: Shape): HttpSide => ({
  port,
  request: (index) => {
    const window = windowAt(index, shape);
    return getRequest(`/api/v1/markets/${window.ticker}/snapshots${searchOf(window)}`, headers);
  },
});

const pipeSide = ({ bare: { port } }: BenchHarness, shape: Shape): HttpSide => ({
  port,
  request: (index) => {
    const window = windowAt(index, shape);
    return getRequest(`/snapshots/${window.ticker}${searchOf(window)}`);
  },
});

const clickHouseSide = async ({ clickhouse }: BenchHarness, shape: Shape): Promise<HttpSide> => {
  const requestOf = await clickhouseRequests(clickhouse);
  const request = (index: number): string => requestOf(snapshotQuery({ ...windowAt(index, shape), stepMs, limit }));
  return { port: Number(new URL(clickhouse.url).port), request };
};

const roundsMax = 20;

/** Reads all markets until each has its slab. The rounds are windows that no row measures. */
const makeSlabs = async ({ home, gateway, size: { archive } }: BenchHarness): Promise<void> => {
  const slabsNow = async (): Promise<number> =>
    (await readdir(join(home, 'timeseries', 'slabs'))).filter((name) => name.endsWith('.slab')).length;
  for (let round = 0; round < roundsMax && (await slabsNow()) < archive.marketsN; round += 1) {
    const readOne = async (market: number): Promise<void> => {
      const startTs = archive.openS + round + 0.25;
      const path = `/markets/${tickerOf(market, archive)}/snapshots?start_ts=${startTs}&end_ts=${startTs + 60}`;
      await requestBytes(gateway.url + path, { headers: gateway.headers });
    };
    for (let at = 0; at < archive.marketsN; at += readers) {
      const count = Math.min(readers, archive.marketsN - at);
      await Promise.all(Array.from({ length: count }, (_, index) => readOne(at + index)));
    }
  }
  const made = await slabsNow();
  if (made < archive.marketsN) throw new Error(`only ${made} of ${archive.marketsN} markets have a slab`);
};

const readBefore =
  (referenceOf: (harness: BenchHarness, shape: Shape) => HttpSide | Promise<HttpSide>) =>
  async (harness: BenchHarness): Promise<Measured> => {
    await makeSlabs(harness);
    const { archive } = harness.size;
    const reference = await referenceOf(harness, archive);
    return compareHttp(harness, {
      ours: gatewaySide(harness, archive),
      reference,
      check: { kind: 'rows' },
      distinct: 'all',
    });
  };

/** Every read of our side is the first of its market. */
const firstWindow = async (harness: BenchHarness): Promise<Measured> => {
  const { system, admin, size } = harness;
  await makeArchive(system, admin, size.slabs.unread);
  const ours = gatewaySide(harness, size.slabs.unread);
  const reference = pipeSide(harness, size.slabs.unread);
  return compareHttp(harness, { ours, reference, check: { kind: 'rows' }, distinct: 'all' });
};

export const slabsRows: readonly BenchRow[] = [
  {
    name: 'snapshots, first window of a market',
    against: 'bare pipe, same SQL',
    threshold: { atLeast: 0.9 },
    unit: 'requests/s',
    measure: firstWindow,
  },
  {
    name: 'snapshots of a market read before',
    against: 'bare pipe, same SQL',
    threshold: { atLeast: 2 },
    unit: 'requests/s',
    measure: readBefore(pipeSide),
  },
  {
    name: 'snapshots of a market read before, from ClickHouse',
    against: 'same SQL at ClickHouse over HTTP',
    threshold: { atLeast: 3 },
    unit: 'requests/s',
    measure: readBefore(clickHouseSide),
  },
];
