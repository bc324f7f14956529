import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startFakeStripe } from '@almanac/fake-stripe';
import { eventually, killableServers, testNumber } from '@almanac/testing';
import { processNames, type ProcessName } from '@almanac/contracts';
import { startHarness, type SystemHarness } from '../harness.js';
import { withLogs } from '../with-logs.js';
import { assertCaptured, type CaptureContext, captureUntil } from './captures.js';
import { areAnswered, readsOf } from '../cluster/every-read.js';
import { balanced, failuresOf, figuresOf, readLoad, type ReadLoad, slowReadsOf } from '../cluster/read-load.js';
import { withReplicas } from '../cluster/system-on-cluster.js';
import { serviceClocks } from './clock-steps.js';
import { rollingFaults } from './rolling-faults.js';
import { clusterServers } from './cluster-servers.js';
import { everyFault } from './every-fault.js';
import { type FaultSet, injectFaults } from './fault-injector.js';
import { faultLog, type FaultLog } from './fault-log.js';
import { assertImported, type ImportContext, importUntil } from './imports.js';
import { watchKeys } from './key-watch.js';
import { serviceLinks } from './links.js';
import { assertAllInvariants, commerceEnvironment, openPurchaseRun, unlimitedTerms } from './money-suite.js';
import { buyOneEvent, exportAgain } from './operations.js';
import { isRoot, ownDisk } from './own-disk.js';
import { oneOf } from './retry.js';
import type { PurchaseRun } from './purchase-run.js';

const buyers = 3;
const pauseMs = 300;
const answersBetween = 30;
const answersBetweenRolling = 1;
/** A user sees how many requests wait, so reads do not follow the number of faults. */
const readsPerSecond = 25;
const accountsMin = 4;
/** The promise (`REVOCATION_MS`). */
const revokedGraceMs = 2_000;
/** More than are created between two kills, so that keys are created and revoked until the end. */
const keysPerKill = 10;

export interface EveryFaultOptions {
  readonly kills: number;
  readonly freezes: number;
  readonly seed: number;
  /** On three nats-servers, which are also stopped in order and cut off. Default: on one. */
  readonly onCluster?: boolean;
  /** Instead of kills and freezes, this many faults that no read may notice, on three nats-servers. */
  readonly rolling?: number;
}

/**
 * Purchases, exports, imports, captures, key changes and revocations at two gateways, while every process is killed and
 * frozen, links are cut, stalled and slow, the disk is full, and everything is killed at once. What was acknowledged is
 * there in the end, once, and every failure on the way is a correct 503. The seed fixes the operations and the order of
 * faults, but not their timing.
 */
export const everythingSurvivesFaults = (options: EveryFaultOptions): void => {
  const kills = testNumber('kills', options.kills);
  const freezes = testNumber('freezes', options.freezes);
  const seed = testNumber('seed', options.seed);
  const rolling = options.rolling === undefined ? undefined : testNumber('faults', options.rolling);
  const onCluster = rolling !== undefined || options.onCluster === true;
  const where = onCluster ? ' on three nats-servers' : '';
  const what =
    rolling === undefined ? `${kills} kills and ${freezes} freezes of everything` : `${rolling} rolling faults`;
  void describe(`${what}${where} (--seed ${seed})`, () => {
    void it('lose, double and change nothing, and charge nothing wrong', async (test) => {
      await withSystem(onCluster, async (chaos) => {
        await withLogs(test, chaos.running.home, `chaos-${seed}`, async () => {
          await workUnderFaults(chaos, { kills, freezes, seed, test, ...(rolling !== undefined && { rolling }) });
        });
      });
    });
  });
};

type Chaos = Awaited<ReturnType<typeof startChaos>>;

const withSystem = async (onCluster: boolean, run: (chaos: Chaos) => Promise<void>): Promise<void> => {
  const stops: (() => Promise<void>)[] = [];
  try {
    await run(await startChaos(onCluster, (stop) => stops.push(stop)));
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
};

const startChaos = async (onCluster: boolean, onStop: (stop: () => Promise<void>) => void) => {
  const fakeStripe = await startFakeStripe();
  onStop(() => fakeStripe.stop());
  // The three servers have folders of their own.
  const disk = isRoot() && !onCluster ? await ownDisk() : undefined;
  const home = disk?.home ?? (await plainHome());
  onStop(disk === undefined ? () => rm(join(home, '..'), { recursive: true, force: true }) : () => disk.remove());
  const ofCluster = onCluster ? await clusterServers() : undefined;
  const servers = ofCluster ?? (await killableServers());
  // Revoked keys are tried all the time, from one address.
  const gateway = { ...unlimitedTerms, FAILED_KEYS_PER_MINUTE: '0' };
  const terms = { commerce: commerceEnvironment(fakeStripe), keys: unlimitedTerms, gateway };
  const clocks = await serviceClocks();
  onStop(() => clocks.remove());
  const byService: Environment = { ...terms, timeseries: unlimitedTerms };
  const given: Environment = Object.fromEntries(
    processNames.map((name) => [name, { ...clocks.environment, ...byService[name] }]),
  );
  // A link leads to one server.
  const links = await serviceLinks(
    servers.starters,
    onCluster ? withReplicas(given) : given,
    onCluster ? ['nats'] : [],
  );
  onStop(() => links.close());
  const { environment, starters } = links;
  const running = await startHarness({ gateways: 2, home, environment, servers: starters });
  onStop(() => running.stop());
  return { running, servers, cluster: ofCluster?.cluster(), clocks, links: links.links, disk, fakeStripe };
};

type Environment = Partial<Record<ProcessName, NodeJS.ProcessEnv>>;

const plainHome = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), 'almanac-chaos-')), 'home');

interface Contexts {
  readonly run: PurchaseRun;
  readonly imports: ImportContext;
  readonly captures: CaptureContext;
  readonly log: FaultLog;
}

const openContexts = async ({ running, fakeStripe }: Chaos, seed: number, kills: number): Promise<Contexts> => {
  const log = faultLog();
  const accounts = Math.max(accountsMin, Math.ceil(kills / 10));
  const opened = await openPurchaseRun(running, fakeStripe, { accounts, seed });
  const run: PurchaseRun = { ...opened, wasFaulty: (name, since) => log.wasFaulty(name, since) };
  const { home } = running;
  const apis = await running.clients('internal');
  return {
    run,
    log,
    imports: { ...run, home, apis, imported: [], exported: [] },
    captures: { ...run, home, apis, captured: [] },
  };
};

const workUnderFaults = async (
  chaos: Chaos,
  { kills, freezes, seed, rolling, test }: EveryFaultOptions & { readonly test: TestContext },
): Promise<void> => {
  const contexts = await openContexts(chaos, seed, kills);
  const { run, log } = contexts;
  if (chaos.disk === undefined) test.diagnostic('Without root, no disk was filled and no page cache dropped.');
  const began = performance.now();
  const { system } = chaos.running;
  const keysMax = keysPerKill * ((rolling ?? kills) + 10);
  const watch = watchKeys(run, system.baseUrls, { graceMs: revokedGraceMs, keysMax });
  const reads = rolling === undefined ? undefined : await measuredReads(chaos.running);
  const faults = rolling === undefined ? kindsOfFaults(chaos, contexts) : kindsOfRolling(chaos, contexts, reads);
  const injector = injectFaults(faults, {
    random: run.random,
    stopped: run.over,
    progress: () => run.counts.answered,
    progressBetween: rolling === undefined ? answersBetween : answersBetweenRolling,
  });
  const hasEnough = (): boolean => areEnough(log, { kills, freezes, rolling });
  const isOver = (): boolean => run.over.signal.aborted || (hasEnough() && injector.hasInjectedAll());
  const work = [
    ...Array.from({ length: rolling === undefined ? buyers : 1 }, () => buyUntil(run, isOver)),
    importUntil(contexts.imports, isOver),
    captureUntil(contexts.captures, isOver),
  ];
  // The first failure ends the run, and becomes the test's error.
  for (const one of work) one.catch((error: unknown) => run.over.abort(error));
  await Promise.allSettled(work);
  await injector.stop().catch((error: unknown) => run.over.abort(error));
  const seconds = Math.round((performance.now() - began) / 1_000);
  const outcomes = (await reads?.stop()) ?? [];
  for (const figures of outcomes.length === 0 ? [] : figuresOf(outcomes))
    test.diagnostic(`Remark: ${JSON.stringify(figures)}`);
  const { by, slowest } = slowReadsOf(outcomes, (since, until) => log.during(since, until));
  test.diagnostic(`Remark: slow reads by faults: ${JSON.stringify(by)}`);
  for (const one of slowest) test.diagnostic(`Remark: ${JSON.stringify(one)}`);
  try {
    await watch.stop().catch((error: unknown) => run.over.abort(error));
    run.over.signal.throwIfAborted();
    const end = await assertEverything(chaos, contexts);
    const { live, revoked } = watch;
    const keys = { live, revoked, latest_ms: watch.latestMs() };
    const figures = { seconds, faults: log.counts, keys, ...run.counts, ...end };
    test.diagnostic(`Remark: ${JSON.stringify(figures)}`);
    assert.deepEqual(failuresOf(outcomes), {}, 'every read is answered');
  } catch (error) {
    test.diagnostic(`Remark: ${JSON.stringify({ seconds, faults: log.counts, ...run.counts })}`);
    test.diagnostic(`The last faults:\n${log.lines.slice(-30).join('\n')}`);
    throw error;
  }
};

/** Reads of all kinds by an account of their own. A gateway that restarts is left out, as a load balancer does. */
const measuredReads = async (running: SystemHarness): Promise<ReadLoad> => {
  const apis = await running.clients('internal');
  const reads = await readsOf(apis);
  await eventually(() => areAnswered(apis, reads), { timeoutMs: 120_000 });
  return readLoad(
    apis.map((_, at) => balanced([...apis.slice(at), ...apis.slice(0, at)])),
    reads,
    testNumber('reads', readsPerSecond),
  );
};

type Numbers = Pick<EveryFaultOptions, 'kills' | 'freezes'> & { readonly rolling: number | undefined };

const areEnough = ({ counts }: FaultLog, { kills, freezes, rolling }: Numbers): boolean => {
  if (rolling === undefined) return (counts['kill'] ?? 0) >= kills && (counts['freeze'] ?? 0) >= freezes;
  return Object.values(counts).reduce((sum, count) => sum + count, 0) >= rolling;
};

const kindsOfFaults = (chaos: Chaos, contexts: Contexts): FaultSet[] => {
  const { log, run } = contexts;
  return everyFault({
    ...chaos,
    system: chaos.running.system,
    random: run.random,
    log,
    isServed: () => isServed(contexts),
  });
};

const kindsOfRolling = (chaos: Chaos, { run, log }: Contexts, reads: ReadLoad | undefined): FaultSet[] => {
  const { clocks, cluster = assert.fail('there is no cluster'), running } = chaos;
  const note = (fault: string): void => reads?.note(fault);
  return rollingFaults({ system: running.system, cluster, clocks, random: run.random, log, note });
};

const buyUntil = async (run: PurchaseRun, isOver: () => boolean): Promise<void> => {
  while (!isOver()) {
    const isLeft = run.buyers.some(({ eventsToBuy }) => eventsToBuy.length > 0);
    if (isLeft && run.random() < 0.6) await buyOneEvent(run);
    else await exportAgain(run);
    await delay(pauseMs * run.random());
  }
};

/** A change, a read of rows and a read of the catalogue. */
const isServed = async ({ run, imports }: Contexts): Promise<void> => {
  const api = oneOf(run, imports.apis);
  const paths = ['/categories', '/plan', '/exports', '/markets?limit=3'];
  await eventually(
    async () => {
      for (const path of paths) assert.equal((await api.send(path)).status, 200, path);
      const created = await api.send('/keys', { method: 'POST', body: '{"name":"after the disk"}' });
      assert.equal(created.status, 200, created.bytes.toString());
      const { id } = JSON.parse(created.bytes.toString()) as { id: string };
      assert.equal((await api.send(`/keys/${id}`, { method: 'DELETE' })).status, 200);
    },
    { timeoutMs: 180_000 },
  );
};

const assertEverything = async (chaos: Chaos, contexts: Contexts): Promise<object> => {
  await isServed(contexts);
  const money = await assertAllInvariants(chaos.running, contexts.run);
  return { ...money, ...(await assertImported(contexts.imports)), ...(await assertCaptured(contexts.captures)) };
};
