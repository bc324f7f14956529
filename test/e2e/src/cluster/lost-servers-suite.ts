import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminBus } from '@almanac/bus';
import { storeGeneratedArchive } from '@almanac/operator';
import { eventually, seededRandom, serversWithTables, testNumber } from '@almanac/testing';
import { type ApiClient, post } from '../api.js';
import { watchKeys } from '../chaos/key-watch.js';
import { unlimitedTerms } from '../chaos/money-suite.js';
import { withLogs } from '../with-logs.js';
import { type Loss, loseServer } from './lose-server.js';
import { areAnswered, readsOf } from './every-read.js';
import { failuresOf, figuresOf, readLoad, type Reads } from './read-load.js';
import { startOnCluster, type SystemOnCluster } from './system-on-cluster.js';

/** Few, because a machine with other work must serve them in time without a fault. */
const readsPerSecond = 5;
const warmUpMs = 10_000;
const keysPerFault = 8;
const exportEveryMs = 1_500;
const waitMs = 120_000;
/** Streams whose leader is lost, in turn. Without a name, any server. */
const leads = [
  ['EVT_KEYS', 'keys'],
  ['HEARTBEAT', 'keys'],
  ['EVT_EXPORT', 'export'],
  ['EVT_CATALOG', 'catalog'],
  [undefined, 'keys'],
  ['EVT_COMMERCE', 'commerce'],
  ['EVT_ARCHIVE', 'catalog'],
  ['HEARTBEAT_2', 'keys'],
] as const;

export interface LostServersOptions {
  /** How servers are lost, and how many times. */
  readonly losses: Readonly<Record<Loss, number>>;
  readonly seed: number;
  /** How long after its revocation a key may be accepted: the guarantee, or more on a machine that is busy. */
  readonly graceMs: number;
}

/** Reads of all kinds at two gateways while one nats-server of three is lost and comes back. */
export const readsSurviveLostServers = (options: LostServersOptions): void => {
  const seed = testNumber('seed', options.seed);
  const wanted = (Object.entries(options.losses) as [Loss, number][]).filter(([, times]) => times > 0);
  const count = wanted.reduce((sum, [, times]) => sum + times, 0);
  void describe('all reads on three nats-servers are answered', { timeout: (count + 5) * 120_000 }, () => {
    let system: SystemOnCluster;
    let clients: Clients;
    before(async () => {
      const gateway = { ...unlimitedTerms, FAILED_KEYS_PER_MINUTE: '0' };
      const environment = { keys: unlimitedTerms, commerce: unlimitedTerms, timeseries: unlimitedTerms, gateway };
      system = await startOnCluster({ gateways: 2, servers: await serversWithTables(), environment });
      clients = await openClients(system, seed);
    });
    after(() => system.running.stop());
    for (const [loss, times] of wanted)
      void it(`over ${times} x ${loss} of a server (--seed ${seed})`, (test) =>
        withLogs(test, system.running.home, `lost-servers-${seed}`, () =>
          loseServers(system, clients, { loss, times, test, graceMs: options.graceMs }),
        ));
  });
};

interface Clients {
  readonly apis: readonly ApiClient[];
  readonly reads: Reads;
  readonly holders: Parameters<typeof watchKeys>[0];
}

const openClients = async ({ running }: SystemOnCluster, seed: number): Promise<Clients> => {
  await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
  const apis = await running.clients('internal');
  const holders = {
    random: seededRandom(seed),
    over: new AbortController(),
    counts: { answered: 0, again: 0, doubled: 0 },
    buyers: [{ apis: await running.clients('internal') }],
  };
  const reads = await readsOf(apis);
  await eventually(() => areAnswered(apis, reads), { timeoutMs: waitMs });
  return { apis, reads, holders };
};

interface Losing extends Pick<LostServersOptions, 'graceMs'> {
  readonly loss: Loss;
  readonly times: number;
  readonly test: TestContext;
}

const loseServers = async (
  system: SystemOnCluster,
  { apis, reads, holders }: Clients,
  { loss, times, test, graceMs }: Losing,
): Promise<void> => {
  const keysMax = keysPerFault * times + 5;
  const watch = watchKeys(holders, system.running.system.baseUrls, { graceMs, keysMax });
  const load = readLoad(apis, reads, readsPerSecond);
  // A change that was on its way through a killed server may fail. An orderly stop costs none.
  const writes = loss === 'SIGTERM' || loss === 'lame duck' ? exportsAtGateways(apis, reads) : undefined;
  const lost = await (async () => {
    await delay(warmUpMs);
    for (let k = 0; k < times; k += 1) await lose(system, loss, k, (what) => load.note(what));
  })().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const outcomes = await load.stop();
  const exported = await writes?.stop();
  const revocations = { n: watch.revocations(), latest_ms: watch.latestMs(), live: watch.live };
  test.diagnostic(JSON.stringify({ loss, times, revocations, exported }));
  for (const figures of figuresOf(outcomes)) test.diagnostic(JSON.stringify(figures));
  test.diagnostic(JSON.stringify(failuresOf(outcomes)));
  await watch.stop();
  if (lost !== undefined) throw lost.error;
  const failed = outcomes.filter(({ status }) => status !== 200).length;
  assert.equal(failed, 0, `of ${outcomes.length} reads: ${JSON.stringify(failuresOf(outcomes))}`);
  assert.deepEqual(exported?.failed ?? {}, {}, 'every export is accepted');
};

/** Requests exports without an Idempotency-Key. */
const exportsAtGateways = (apis: readonly ApiClient[], reads: Reads) => {
  const failed: Record<string, number> = {};
  let [n, stopped, slowestMs] = [0, false, 0];
  const sending = (async () => {
    while (!stopped) {
      const ticker = decodeURIComponent((reads['detail, any']?.(n) ?? '').replace('/markets/', ''));
      const beganMs = performance.now();
      const { status, text } = await (apis[n % apis.length] ?? assert.fail())
        .send('/exports', post({ ticker, format: 'csv' }))
        .then(
          (answer) => ({ status: answer.status, text: answer.bytes.toString('utf8') }),
          (error: unknown) => ({ status: 0, text: String(error) }),
        );
      slowestMs = Math.max(slowestMs, performance.now() - beganMs);
      n += 1;
      if (status !== 200)
        failed[`${status} ${text.slice(0, 90)}`] = (failed[`${status} ${text.slice(0, 90)}`] ?? 0) + 1;
      await delay(exportEveryMs);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await sending;
      return { n, failed, slowest_ms: Math.round(slowestMs) };
    },
  };
};

/** Loses the leader of one stream after the other. */
const lose = async (system: SystemOnCluster, loss: Loss, k: number, note: (what: string) => void): Promise<void> => {
  const [stream, user] = leads[k % leads.length] ?? leads[0];
  const bus = await system.connect(user);
  const name = await leaderOf(bus, stream, k, system.cluster.names);
  await bus.close();
  note(`${loss} ${k} (${stream ?? 'any'})`);
  await loseServer(system.cluster, loss, name);
};

const leaderOf = (bus: AdminBus, stream: string | undefined, k: number, names: readonly string[]): Promise<string> =>
  stream === undefined
    ? Promise.resolve(names[k % names.length] ?? assert.fail())
    : eventually(
        async () => (await bus.jsm.streams.info(stream)).cluster?.leader ?? assert.fail(`${stream} has no leader`),
        { timeoutMs: waitMs },
      );
