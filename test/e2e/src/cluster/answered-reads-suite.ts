import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { endOf, Reply, type Running, subjects } from '@almanac/bus';
import { serveContracts } from '@almanac/bus/server';
import { catalogRpc, timeseriesRpc } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { eventually, seededRandom, testNumber } from '@almanac/testing';
import { apiClient } from '../api.js';
import { watchKeys } from '../chaos/key-watch.js';
import { type ClusterSystem, startClusterSystem, waitMs } from './cluster-system.js';

const seriesId = 'S';
/** Read all the time: by the gateway alone, from its cached answers, and from the state of a stream. */
const ownPath = '/exports/formats';
const paths = [ownPath, '/markets/M/snapshots', '/markets/M', '/plan'] as const;
/** With a key that the gateway has not seen, as each key is for one that has just started. */
const unseenKey = 'a key that is not seen before';
const unseenPerEnding = 10;
const pauseMs = 50;
/** A request that was on its way to a service through the lost server has no answer. */
const lostInTransit = 0.005;
/** Longer than the election of a leader, which takes up to 9 s. */
const awayMs = 10_000;
const keysPerKill = 8;

type Ending = 'kill -9' | 'an orderly stop';

export interface AnsweredReadsOptions {
  readonly kills: number;
  readonly stops: number;
  readonly seed: number;
  /** How long after its revocation a key may be accepted: the guarantee, or more on a machine that is busy. */
  readonly graceMs: number;
}

/** Reads at all gateways while one nats-server after the other ends and comes back. */
export const readsAreAnsweredWithoutAServer = (options: AnsweredReadsOptions): void => {
  const { kills, stops } = options;
  const seed = testNumber('seed', options.seed);
  void describe('reads on a cluster of three nats-servers', { timeout: (kills + stops + 3) * 120_000 }, () => {
    void it(`go on over ${kills} kill -9 and ${stops} orderly stops of a server (--seed ${seed})`, async (test) => {
      const system = await startClusterSystem('all');
      const stubs = await startStubs(system);
      try {
        await runEndings(system, { ...options, seed }, test);
      } finally {
        await stubs.stop();
        await system.stop();
      }
    });
  });
};

/** Details and snapshots that gateways keep. Everything else is a real service. */
const startStubs = async (system: ClusterSystem): Promise<Running> => {
  const log = createLogger('test', 'silent');
  const [catalog, timeseries] = [await system.connect('catalog'), await system.connect('timeseries')];
  const position = await endOf(catalog, 'EVT_CATALOG');
  const { marketDetail } = catalogRpc;
  const { snapshots } = timeseriesRpc;
  const used = [subjects.market('M'), subjects.series(seriesId)];
  const detail = (): Reply =>
    new Reply(Buffer.from('{}'), { ticker: 'M', digest: 'd', catalogue: { subjects: used, position } });
  const rows = (): Reply => new Reply(Buffer.from('{}'), { version: 1, cacheable: true });
  const serving = [
    await serveContracts(catalog, { marketDetail }, { marketDetail: detail }, log),
    await serveContracts(timeseries, { snapshots }, { snapshots: rows }, log),
  ];
  return { stop: async () => void (await Promise.all(serving.map((one) => one.stop()))) };
};

interface Read {
  readonly path: string;
  readonly status: number;
  readonly tookMs: number;
  readonly after: string;
}

const runEndings = async (system: ClusterSystem, options: AnsweredReadsOptions, test: TestContext): Promise<void> => {
  const { kills, stops, graceMs } = options;
  // Of two accounts: a change of keys makes gateways verify all keys of its account again.
  const [key, changing] = [await system.key(), await system.key()];
  const reads: Read[] = [];
  const state = { stopped: false, after: 'nothing' };
  await eventually(async () => assert.ok((await readAll(system, key)).every(({ status }) => status === 200)), {
    timeoutMs: waitMs,
  });
  const loops = system.gateways.flatMap((url) =>
    paths.map(async (path) => {
      while (!state.stopped) {
        reads.push({ ...(await readOnce(url, key, path)), after: state.after });
        await delay(pauseMs);
      }
    }),
  );
  const holders = {
    random: seededRandom(options.seed),
    over: new AbortController(),
    counts: { answered: 0, again: 0, doubled: 0 },
    buyers: [{ apis: system.gateways.map((url) => apiClient(url, changing)) }],
  };
  const watch = watchKeys(holders, system.gateways, { graceMs, keysMax: keysPerKill * (kills + stops) + 5 });
  try {
    for (let n = 0; n < kills + stops; n += 1) {
      const unseen = await Promise.all(Array.from({ length: unseenPerEnding }, () => system.key()));
      const name = await victim(system, n);
      const ending: Ending = n < kills ? 'kill -9' : 'an orderly stop';
      state.after = `${ending} ${n}`;
      await (ending === 'kill -9' ? system.cluster.kill(name) : system.cluster.end(name));
      for (const [at, one] of unseen.entries()) {
        const read = await readOnce(system.gateways[at % system.gateways.length] ?? assert.fail(), one, ownPath);
        reads.push({ ...read, path: unseenKey, after: state.after });
        await delay(awayMs / unseenPerEnding);
      }
      await system.cluster.start(name);
      await system.cluster.allHealthy();
    }
  } finally {
    state.stopped = true;
    await Promise.all(loops);
    const revocations = { n: watch.revocations(), latest_ms: watch.latestMs(), revoked: watch.revoked };
    test.diagnostic(JSON.stringify({ reads: figuresOf(reads), revocations }));
    await watch.stop();
  }
  assert.deepEqual(system.ended, [], 'services that ended');
  const failures = failuresIn(reads);
  test.diagnostic(JSON.stringify(failures));
  const ofGateways = Object.keys(failures).filter((name) => name.startsWith(ownPath));
  assert.deepEqual(ofGateways, [], 'reads that only need a known key');
  const failed = reads.filter(({ status }) => status !== 200).length;
  assert.ok(failed <= reads.length * lostInTransit, `${failed} of ${reads.length} reads failed`);
};

/** Each server in turn, and each other time the one that leads EVT_KEYS. */
const victim = async (system: ClusterSystem, n: number): Promise<string> => {
  const { names } = system.cluster;
  if (n % 2 === 1) return names[n % names.length] ?? assert.fail();
  const bus = await system.connect('keys');
  return eventually(async () => (await bus.jsm.streams.info('EVT_KEYS')).cluster?.leader ?? assert.fail(), {
    timeoutMs: waitMs,
  });
};

const readAll = (system: ClusterSystem, key: string) =>
  Promise.all(system.gateways.flatMap((url) => paths.map((path) => readOnce(url, key, path))));

const readOnce = async (url: string, key: string, path: string): Promise<Omit<Read, 'after'>> => {
  const beganMs = performance.now();
  const status = await apiClient(url, key)
    .send(path)
    .then(
      (answer) => answer.status,
      () => 0,
    );
  return { path, status, tookMs: performance.now() - beganMs };
};

/** How many reads failed, by path, status and what had happened. */
const failuresIn = (reads: readonly Read[]): Record<string, number> => {
  const failures: Record<string, number> = {};
  for (const { path, status, after } of reads) {
    if (status === 200) continue;
    const name = `${path} ${status} after ${after}`;
    failures[name] = (failures[name] ?? 0) + 1;
  }
  return failures;
};

const figuresOf = (reads: readonly Read[]) =>
  [...paths, unseenKey].map((path) => {
    const own = reads.filter((read) => read.path === path);
    const took = own.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
    const at = (part: number): number =>
      Math.round(took[Math.min(took.length - 1, Math.floor(part * took.length))] ?? 0);
    const failed = own.filter(({ status }) => status !== 200).length;
    return { path, n: own.length, failed, p50: at(0.5), p99: at(0.99), max: at(1) };
  });
