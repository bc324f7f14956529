import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clickhouseSide } from './clickhouse-request.js';
import { awaitNoReason, inParallel } from './concurrent.js';
import { makeOnce, makeSettledMarkets, type Shape, tickerOf } from './data.js';
import type { BenchHarness } from './harness.js';
import { bareSide, compareCopies, compareHttp, gatewaySide, requestBytes } from './http-side.js';
import type { BenchEntry, Measured } from './row.js';
import { barePath, snapshotsPath, snapshotsQuery, windowAt } from './windows.js';

const check = { kind: 'rows' } as const;

/** Windows of the shape, compared with the bare pipe: express, NATS and a handler with the same SQL. */
const againstPipe = (harness: BenchHarness, shape: Shape, shiftS: number): Promise<Measured> =>
  compareHttp(harness, {
    ours: gatewaySide(harness.gateway, (index) => snapshotsPath(windowAt(index, shape, shiftS))),
    reference: bareSide(harness, (index) => barePath(windowAt(index, shape, shiftS))),
    check,
  });

const hotAnswers = 32;

const hot = (harness: BenchHarness): Promise<Measured> => {
  const paths = Array.from({ length: hotAnswers }, (_, index) => snapshotsPath(windowAt(index, harness.size.archive)));
  return compareCopies(harness, paths, { via: 'bytes' });
};

const roundsMax = 20;
const readers = 16;

/** Reads all markets until each has its slab. The rounds are windows that no row measures. */
const makeSlabs = async ({ home, gateway, size: { archive } }: BenchHarness): Promise<void> => {
  const slabsNow = async (): Promise<number> =>
    (await readdir(join(home, 'timeseries', 'slabs'))).filter((name) => name.endsWith('.slab')).length;
  const markets = Array.from({ length: archive.marketsN }, (_, market) => market);
  for (let round = 0; round < roundsMax && (await slabsNow()) < archive.marketsN; round += 1) {
    const startTs = archive.openS + round + 0.75;
    await inParallel(markets, readers, (market) => {
      const window = { ticker: tickerOf(market, archive), startTs, endTs: startTs + 60 };
      return requestBytes(gateway.url + snapshotsPath(window), { headers: gateway.headers });
    });
  }
  const made = await slabsNow();
  if (made < archive.marketsN) throw new Error(`only ${made} of ${archive.marketsN} markets have a slab`);
};

/** The value of a counter of timeseries. */
const counterOf = async ({ system }: BenchHarness, name: string): Promise<number> => {
  const port = system.services.get('timeseries')?.healthPort;
  const text = (await requestBytes(`http://127.0.0.1:${port}/metrics`)).toString();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
};

/** Reads each market once, after all have settled and timeseries has made the slabs that nobody has requested. */
const settled = async (harness: BenchHarness): Promise<Measured> => {
  const { system, admin, size } = harness;
  const shape = { ...size.slabs.settled, openS: Math.floor(Date.now() / 1_000) - 7_200 };
  const prepared = (): Promise<number> => counterOf(harness, 'almanac_slab_uploads_total');
  const before = await prepared();
  await makeSettledMarkets(system, admin, shape);
  await awaitNoReason(
    async () => {
      const made = (await prepared()) - before;
      return made < shape.marketsN ? `only ${made} settled markets are prepared` : undefined;
    },
    { pollMs: 200, mostMs: 1_200_000 },
  );
  return compareHttp(harness, {
    ours: gatewaySide(harness.gateway, (index) => snapshotsPath(windowAt(index, shape, 0.5))),
    reference: await clickhouseSide(harness.clickhouse, (index) => snapshotsQuery(windowAt(index, shape, 0.5))),
    check,
    counts: size.slabs,
  });
};

const rate = { unit: 'requests/s', against: 'bare pipe, same SQL' };

export const snapshotsRows: readonly BenchEntry[] = [
  {
    ...rate,
    name: 'snapshots, cold',
    gain: 'A user reads any window of any market at nearly the speed of the database, without a cache.',
    threshold: { atLeast: 0.85 },
    measure: (harness) => againstPipe(harness, harness.size.archive, 0),
  },
  {
    ...rate,
    name: 'snapshots, hot',
    gain: 'Many users who read the same window cost little more than a server that sends ready bytes.',
    against: 'bare express, same bytes',
    threshold: { atLeast: 0.5 },
    measure: hot,
  },
  {
    ...rate,
    name: 'snapshots, first window of a market',
    gain: 'The first user of a market waits no longer than the later ones for a query.',
    threshold: { atLeast: 0.9 },
    measure: async (harness) => {
      const { unread } = harness.size.slabs;
      await makeOnce(harness, unread);
      return againstPipe(harness, unread, 0.5);
    },
  },
  {
    ...rate,
    name: 'snapshots of a market read before',
    gain: 'A backtest that reads a market window by window is several times as fast as queries of the database.',
    threshold: { atLeast: 2 },
    measure: async (harness) => {
      await makeSlabs(harness);
      return againstPipe(harness, harness.size.archive, 0.5);
    },
  },
  {
    ...rate,
    name: 'first window of a settled market, prepared ahead',
    shows: 'Whether slabs that are made when a market settles answer its first reads.',
    against: 'same SQL at ClickHouse over HTTP',
    threshold: { atLeast: 2 },
    measure: settled,
  },
];
