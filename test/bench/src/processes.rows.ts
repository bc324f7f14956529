import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type RpcClient, rpcClient, subjects } from '@almanac/bus';
import { DomainError, marketState, timeseriesRpc } from '@almanac/contracts';
import { withOwnServices } from './own-services.js';
import { comparePairs, median, secondsSince } from './pairs.js';
import { type BenchEntry, type BenchFolder, type Measured, measuredAgainst } from './row.js';
import type { BenchSize } from './size.js';

const processes = 8;
const readsAtOnce = 4;
/** The delay of the slow store's answers. */
const storeMs = 200;
const ticker = 'SCALING-26MAR01-M1';

type Read = (account: string) => Promise<unknown>;

/** Processes of timeseries alone, which each may send the store few reads at once, and a client of them. */
const withTimeseries = <T>(bench: BenchFolder, count: number, work: (read: Read) => Promise<T>): Promise<T> =>
  withOwnServices(bench, async ({ admin, connect, start }) => {
    const openUs = 1_772_366_400_000_000;
    const state = marketState.parse({ ticker, open_us: openUs, close_us: openUs + 3_600_000_000 });
    const envelope = { id: randomUUID(), type: 'MarketRecorded', version: 1, time: openUs, account: null, data: {} };
    await admin.js.publish(subjects.market(ticker), JSON.stringify({ ...envelope, state }));
    const limit = { READS_CONCURRENT: String(readsAtOnce) };
    await Promise.all(Array.from({ length: count }, () => start('timeseries', limit)));
    const rpc: RpcClient = rpcClient(await connect('gateway'));
    return work((account) =>
      rpc.forward(timeseriesRpc.snapshots, { input: { ticker }, context: { requestId: randomUUID(), account } }),
    );
  });

/** Measures with enough clients to keep all processes busy. */
const scaling = (bench: BenchFolder): Promise<Measured> =>
  withTimeseries(bench, processes, async (read) => {
    const { scaling: size } = bench.size;
    const theory = (processes * readsAtOnce) / (storeMs / 1_000);
    const rates = await ratesOf(read, size);
    const measured = measuredAgainst(median(rates), theory, rates.map((rate) => rate.toFixed(1)).join(' '));
    if (measured.ratio > size.ratioMost)
      throw new Error(`${measured.ours} reads/s: the processes have more than ${readsAtOnce} reads at once`);
    return measured;
  });

/** The reads per second in consecutive windows, with clients that repeat requests. */
const ratesOf = async (
  read: Read,
  { clientsEach, warmMs, windows, windowMs }: BenchSize['scaling'],
): Promise<number[]> => {
  const stopping = new AbortController();
  let answeredCount = 0;
  // One account gets half of the reads of a process, so each client has an account.
  const client = async (account: string): Promise<void> => {
    while (!stopping.signal.aborted) {
      await read(account);
      answeredCount += 1;
    }
  };
  const clients = Array.from({ length: processes * clientsEach }, (_, at) => client(`client-${at}`));
  const clientsRunning = Promise.all(clients);
  const measuring = (async () => {
    await delay(warmMs);
    const rates: number[] = [];
    for (let window = 0; window < windows; window += 1) {
      const [before, startedAt] = [answeredCount, performance.now()];
      await delay(windowMs);
      rates.push((answeredCount - before) / secondsSince(startedAt));
    }
    return rates;
  })();
  try {
    // A refused client ends the row.
    return await Promise.race([measuring, clientsRunning.then(() => measuring)]);
  } finally {
    stopping.abort();
    await clientsRunning.catch(() => undefined);
  }
};

const readsOfBusyAccount = 120;
const readsPerSide = 15;
const rounds = 3;

/** The median time in milliseconds of reads that one client sends one after the other. */
const medianMs = async (read: Read): Promise<number> => {
  const times: number[] = [];
  for (let at = 0; at < readsPerSide; at += 1) {
    const startedAt = performance.now();
    await read('quiet');
    times.push(performance.now() - startedAt);
  }
  return median(times);
};

/** Keeps this many reads of one account under way until the signal aborts. A refused read is sent again. */
const keepBusy = async (read: Read, signal: AbortSignal): Promise<void> => {
  const client = async (): Promise<void> => {
    while (!signal.aborted) {
      await read('busy').catch((error: unknown) => {
        if (!(error instanceof DomainError && error.code === 'unavailable')) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: readsOfBusyAccount }, client));
};

const beside = async (read: Read): Promise<number> => {
  const stopping = new AbortController();
  const busy = keepBusy(read, stopping.signal);
  try {
    return await medianMs(read);
  } finally {
    stopping.abort();
    await busy;
  }
};

/** One account alone, and beside another account that keeps many reads under way. */
const fairness = (bench: BenchFolder): Promise<Measured> =>
  withTimeseries(bench, 1, (read) =>
    comparePairs(
      {
        ours: async () => ({ rate: await beside(read), digest: 0 }),
        reference: async () => ({ rate: await medianMs(read), digest: 0 }),
      },
      rounds,
    ),
  );

export const processRows: readonly BenchEntry[] = [
  {
    name: `scaling, ${processes} timeseries processes`,
    gain: 'An operator who adds processes of timeseries gets as many times the reads, as long as the store can.',
    against: `theory: each ${readsAtOnce} reads of ${storeMs} ms at once`,
    threshold: { atLeast: 0.85 },
    unit: 'reads/s',
    isAlone: true,
    measure: scaling,
  },
  {
    name: `read of one account, beside ${readsOfBusyAccount} of another`,
    gain: 'A user waits hardly longer while another account sends as many reads as it can.',
    against: 'the same read alone',
    threshold: { below: 2 },
    unit: 'ms',
    isAlone: true,
    measure: fairness,
  },
];
