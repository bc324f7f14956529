import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf, type RunningService, startServiceProcess } from '@almanac/system';
import { clickhouseRequests } from './clickhouse-request.js';
import { makeSettledMarkets, type Shape, tickerOf } from './data.js';
import type { BenchHarness } from './harness.js';
import { getRequest } from './http-side.js';
import { rateResult } from './load-job.js';
import { comparePairs, type RunSide } from './pairs.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import { type BenchSize, inWords } from './size.js';
import { snapshotQuery } from './snapshot-query.js';

const stepMs = 1_000;
const limit = 1_000;
const clients = 16;
const check = { kind: 'rows' } as const;
const preparedMsMax = 1_200_000;
/** The program that sends requests must answer in two minutes, on a slow machine too. */
const readsOfPart = 10_000;

interface Prepared {
  readonly shape: Shape;
  /** Of timeseries, from before the markets settled until all were prepared. */
  readonly slabsMade: number;
  /** In markets a second. */
  readonly rate: number;
}

/** The markets of both rows, which settle once in a run. */
const prepared = new WeakMap<BenchHarness, Promise<Prepared>>();
const preparedIn = (harness: BenchHarness): Promise<Prepared> => {
  const known = prepared.get(harness) ?? settleMarkets(harness);
  prepared.set(harness, known);
  return known;
};

/** Waits until timeseries has made the slabs that nobody has asked for. */
const settleMarkets = async (harness: BenchHarness): Promise<Prepared> => {
  const { system, admin, home, size } = harness;
  const shape = { ...size.slabs.settled, openS: Math.floor(Date.now() / 1_000) - 7_200 };
  const folder = join(home, 'timeseries', 'slabs');
  const names = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.endsWith('.slab'));
  const before = new Set(await names());
  const made = (): Promise<number> => metric([processOf(harness)], 'almanac_slabs_made_total');
  const uploads = (): Promise<number> => metric([processOf(harness)], 'almanac_slab_uploads_total');
  const [madeBefore, uploadsBefore] = [await made(), await uploads()];
  await makeSettledMarkets(system, admin, shape);
  const startedAt = performance.now();
  for (let found = 0; found < shape.marketsN;) {
    if (performance.now() - startedAt > preparedMsMax) throw new Error(`only ${found} settled markets are prepared`);
    await delay(200);
    const versions = (await names()).filter((name) => !before.has(name)).map((name) => Number(name.split('-')[1]));
    const newest = Math.max(...versions);
    found = versions.filter((version) => version === newest).length;
  }
  const rate = (shape.marketsN / (performance.now() - startedAt)) * 1_000;
  while ((await uploads()) - uploadsBefore < shape.marketsN) {
    if (performance.now() - startedAt > preparedMsMax) throw new Error('the slabs are not in the object store');
    await delay(200);
  }
  return { shape, rate, slabsMade: (await made()) - madeBefore };
};

/** The sum of a counter of processes, of its lines with a text. */
const metric = async (processes: readonly RunningService[], name: string, part = ''): Promise<number> => {
  const texts = await Promise.all(
    processes.map(async ({ healthPort }) => {
      const url = `http://127.0.0.1:${healthPort}/metrics`;
      return (await fetch(url, { signal: AbortSignal.timeout(10_000) })).text();
    }),
  );
  const lines = texts.flatMap((text) => text.split('\n'));
  const counted = lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return counted
    .filter((line) => line.includes(part))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
};

const processOf = ({ system }: BenchHarness): RunningService => {
  const running = system.services.get('timeseries');
  if (running === undefined) throw new Error('timeseries does not run');
  return running;
};

/** Starts another process of timeseries, with an empty disk. */
const withNewProcess = async <T>(
  { home, system: { infrastructure, secrets } }: BenchHarness,
  use: (added: RunningService) => Promise<T>,
): Promise<T> => {
  const name = 'timeseries-2';
  const given = environmentOf('timeseries', { home, infrastructure, secrets, port: 0 });
  const environment = { ...given, TIMESERIES_FOLDER: join(home, name) };
  const { signal: stopping } = new AbortController();
  const added = await startServiceProcess({
    service: 'timeseries',
    name,
    home,
    environment,
    print: () => undefined,
    stopping,
  });
  try {
    return await use(added);
  } finally {
    await added.stop();
  }
};

interface Window {
  readonly ticker: string;
  readonly startTs: number;
  readonly endTs: number;
}

const pathOf = ({ ticker, startTs, endTs }: Window): string =>
  `/api/v1/markets/${ticker}/snapshots?start_ts=${startTs}&end_ts=${endTs}&step_ms=${stepMs}&limit=${limit}`;

const send = async ({ load }: BenchHarness, port: number, requests: readonly string[]) => {
  const count = requests.length;
  const { seconds, digest } = await load.send(
    { kind: 'rate', port, requests: [...requests], count, clients, check },
    rateResult,
  );
  return { rate: count / seconds, digest };
};

/** Each market once, in turn. */
const firstWindows = async (harness: BenchHarness): Promise<Measured> => {
  const { shape, rate } = await preparedIn(harness);
  const { warmN, firstN, pairs } = harness.size.slabs;
  const lengthS = Math.min(900, Math.floor(shape.secondsN / 2));
  const windows = Array.from({ length: shape.marketsN }, (_, market) => {
    const startTs = shape.openS + ((market * 17) % (shape.secondsN - lengthS)) + 0.5;
    return { ticker: tickerOf(market, shape), startTs, endTs: startTs + lengthS };
  });
  const requestOf = await clickhouseRequests(harness.clickhouse);
  const sideOf =
    (port: number, write: (window: Window) => string) =>
    (from: number, to: number): ReturnType<typeof send> =>
      send(harness, port, windows.slice(from, to).map(write));
  const ours = sideOf(harness.gateway.port, (window) => getRequest(pathOf(window), harness.gateway.headers));
  const reference = sideOf(Number(new URL(harness.clickhouse.url).port), (window) =>
    requestOf(snapshotQuery({ ...window, stepMs, limit })),
  );
  for (const side of [ours, reference]) await side(0, warmN);
  const roundOf =
    (side: typeof ours): RunSide =>
    (round) =>
      side(warmN + round * firstN, warmN + (round + 1) * firstN);
  const measured = measuredPairs(await comparePairs({ ours: roundOf(ours), reference: roundOf(reference) }, pairs));
  return { ...measured, notes: [...measured.notes, `prepared ahead: ${rate.toFixed(0)} markets a second`] };
};

/**
 * Random markets, starts and lengths, the same in each run. No two are the same, so the gateway has no answer ready. Two
 * processes answer: the one that made the slabs, and a new one.
 */
const randomReads = async (harness: BenchHarness): Promise<Measured> => {
  const { shape, slabsMade } = await preparedIn(harness);
  const { readsN } = harness.size.slabs;
  const requests = Array.from({ length: readsN }, (_, index) => {
    const random = createHash('sha256').update(`read ${index}`).digest();
    const below = (at: number, most: number): number => random.readUInt32LE(at) % Math.floor(most);
    const lengthS = 1 + below(0, Math.min(900, shape.secondsN / 2));
    const startTs = shape.openS + below(4, shape.secondsN - lengthS) + ((index % 997) + 1) / 1_000;
    const ticker = tickerOf(below(8, shape.marketsN), shape);
    return getRequest(pathOf({ ticker, startTs, endTs: startTs + lengthS }), harness.gateway.headers);
  });
  const first = processOf(harness);
  return withNewProcess(harness, async (added) => {
    const count = (name: string, part = ''): Promise<number> => metric([first, added], name, part);
    /** Reads that slabs did not answer, and slabs that were made for them. */
    const queries = async (): Promise<number> =>
      (await count('almanac_slab_reads_total', '"miss"')) + (await count('almanac_slabs_made_total'));
    const [queriesBefore, fetchesBefore] = [await queries(), await count(fetchesName)];
    const allBefore = await count(queriesName);
    const startedAt = performance.now();
    for (let sent = 0; sent < readsN; sent += readsOfPart) {
      await send(harness, harness.gateway.port, requests.slice(sent, sent + readsOfPart));
    }
    const rate = (readsN / (performance.now() - startedAt)) * 1_000;
    const duringReads = (await queries()) - queriesBefore;
    const all = (await count(queriesName)) - allBefore;
    const fetched = (await count(fetchesName)) - fetchesBefore;
    const ours = slabsMade + duringReads;
    const notes = [
      `${slabsMade} queries made the slabs, and ${duringReads} came with the reads; all of timeseries meanwhile: ${all}`,
      `a new process requested ${fetched} slabs from the object store; ${rate.toFixed(0)} reads/s`,
    ];
    return { ours, reference: shape.marketsN, ratio: ours / shape.marketsN, notes };
  });
};

const queriesName = 'almanac_clickhouse_queries_total';
const fetchesName = 'almanac_slab_fetches_total';

export const settledRows = ({ slabs: { settled, readsN } }: BenchSize): readonly BenchRow[] => [
  {
    name: 'first window of a settled market, prepared ahead',
    against: 'same SQL at ClickHouse over HTTP',
    threshold: { atLeast: 2 },
    unit: 'requests/s',
    measure: firstWindows,
  },
  {
    name: `queries at ClickHouse for ${inWords(readsN)} random reads of ${inWords(settled.marketsN)} settled markets`,
    against: 'one for each market',
    // One query for each market. One more of 2,000 is 1.0005.
    threshold: { below: 1.0001 },
    unit: 'queries',
    measure: randomReads,
  },
];
