import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { tableFormatIds, exportResponse, exportStreams, marketsResponse } from '@almanac/contracts';
import { accountOfKey, parseApiKey } from '@almanac/runtime';
import { storeGeneratedArchive, type System } from '@almanac/operator';
import {
  eventually,
  killableServers,
  type KillableServers,
  seededRandom,
  type ServerName,
  testNumber,
} from '@almanac/testing';
import type { ApiClient } from '../api.js';
import { type SystemHarness, startHarness } from '../harness.js';
import { assertFileStored, isReady } from './files.js';
import { type FaultSet, killFaults, injectFaults } from './fault-injector.js';
import { answerOf, type RetryContext, sendWithIdempotencyKey, oneOf } from './retry.js';
import { isGrantedOnce } from './invariants.js';
import { type StoredAccount, deadLetters, readFiles, readStoredAccounts } from './stored-state.js';

/** Counted, but never reached, since this test is not about the limits. */
const many = { requestsPerMinute: null, exportsPerDay: 100_000, exportsPending: 100_000 };
const terms = { PLAN_TERMS: JSON.stringify({ full_book: many }) };
/** Short, so that reservations of repeated requests are released before the final check. */
const sweeps = { SWEEP_AFTER_S: '5', SWEEP_EVERY_S: '1' };
const workers = 6;
const downMsMax = 2_000;
/** About this many exports become ready between two faults of a group, so that a slow machine makes progress too. */
const readyBetween = 2;
const kills = ['export', 'gateway', 'gateway-2', 'nats', 'clickhouse', 's3'].map((name) => `kill ${name}`);

export interface ExportChaosOptions {
  /** The minimum number. It continues until every fault was injected. */
  readonly exports: number;
  readonly seed: number;
}

/**
 * Requests exports at two gateways while the worker, gateways, nats-server, ClickHouse and the object store are killed
 * and restarted. In the end each export is ready and its file complete, no file was made twice and no export charged
 * twice. A seed fixes the operations, but not their timing.
 */
export const exportsSurviveFaults = (options: ExportChaosOptions): void => {
  const seed = testNumber('seed', options.seed);
  void describe(`${options.exports} exports under kill -9 of services and servers`, () => {
    void it(`are all ready with the right hash, each file made once and each charged once (--seed ${seed})`, async (test) => {
      const servers = await killableServers();
      const environment = { commerce: { ...terms, ...sweeps }, keys: terms, gateway: terms, timeseries: terms };
      const running = await startHarness({ gateways: 2, environment, servers: servers.starters });
      try {
        const context = await openContext(running, seed);
        const figures = await exportUnderFaults(running, servers, { context, exports: options.exports });
        const made = await assertInvariants(running.system, context);
        test.diagnostic(JSON.stringify({ ...figures, ...context.counts, ...made }));
      } finally {
        await running.stop();
      }
    });
  });
};

/** The body of a POST /exports. */
type Body = Readonly<Record<string, unknown>>;

interface ExportChaosContext extends RetryContext {
  readonly apis: readonly ApiClient[];
  readonly account: string;
  /** Markets and events whose data no longer changes. */
  readonly targets: readonly Body[];
  readonly requestedBodies: Body[];
  /** Ids of exports that were ready. */
  readonly ready: string[];
}

const openContext = async (running: SystemHarness, seed: number): Promise<ExportChaosContext> => {
  await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
  const apis = await running.clients('full_book');
  const [api] = apis;
  assert.ok(api !== undefined);
  const { keyId } = parseApiKey(api.key) ?? assert.fail('no key');
  const { markets } = await api.json(marketsResponse, '/markets?status=finalized&limit=200');
  const targets = markets.flatMap(({ ticker, event_ticker: event }) => [{ ticker }, { event }]);
  return {
    random: seededRandom(seed),
    over: new AbortController(),
    counts: { answered: 0, again: 0, doubled: 0 },
    apis,
    account: accountOfKey(keyId),
    targets,
    requestedBodies: [],
    ready: [],
  };
};

const exportUnderFaults = async (
  { system }: SystemHarness,
  servers: KillableServers,
  { context, exports }: { context: ExportChaosContext; exports: number },
) => {
  const { random, ready } = context;
  const began = performance.now();
  const kill = killFaults(system, random);
  const killServer = (name: ServerName): FaultSet => ({
    [`kill ${name}`]: () => servers.killAndRestart(name, random() * downMsMax),
  });
  const faultSets: FaultSet[] = [
    { ...kill('export'), ...kill('gateway'), ...kill('gateway-2') },
    { ...killServer('nats'), ...killServer('clickhouse'), ...killServer('s3') },
  ];
  const injector = injectFaults(faultSets, {
    random,
    stopped: context.over,
    progress: () => ready.length,
    progressBetween: readyBetween,
  });
  const worker = async (): Promise<void> => {
    while (context.requestedBodies.length < exports || !injector.hasInjectedAll()) {
      await delay(random() * 500);
      ready.push(await exportOne(context));
    }
  };
  const work = Array.from({ length: workers }, worker);
  // The first failure ends the run, and becomes the test's error.
  for (const one of work) one.catch((error: unknown) => context.over.abort(error));
  await Promise.allSettled(work);
  await injector.stop();
  context.over.signal.throwIfAborted();
  assert.deepEqual(Object.keys(injector.done).toSorted(), kills.toSorted(), 'each was killed at least once');
  return { seconds: Math.round((performance.now() - began) / 1_000), faults: injector.done };
};

/** Creates an export, possibly of an earlier target, and waits until it is ready. Returns its id. */
const exportOne = async (context: ExportChaosContext): Promise<string> => {
  const { random, requestedBodies } = context;
  const body = requestedBodies.length > 0 && random() < 0.3 ? oneOf(context, requestedBodies) : newBody(context);
  requestedBodies.push(body);
  const answer = await sendWithIdempotencyKey(context, context, '/exports', body);
  const [id, ...others] = new Set(answer.map((one) => answerOf(exportResponse, one).id));
  assert.ok(id !== undefined && others.length === 0, 'one key, one export');
  await isReady(context, context, id);
  return id;
};

const newBody = (context: ExportChaosContext): Body => {
  const streams = exportStreams.filter(() => context.random() < 0.6);
  const body = { ...oneOf(context, context.targets), format: oneOf(context, tableFormatIds) };
  return streams.length > 0 ? { ...body, streams } : body;
};

const assertInvariants = async (system: System, context: ExportChaosContext) => {
  const { apis, account, requestedBodies, ready } = context;
  const stored = await eventually(() => atRest(system, account), { timeoutMs: 60_000 });
  isGrantedOnce(stored);
  // An export whose reservation was released before it was recorded does not count: its request got another one.
  const exports = stored.exports.filter(({ state }) => state.status !== 'abandoned');
  assert.deepEqual(exports.map(({ state }) => state.id).toSorted(), ready.toSorted(), 'one export for each key');
  for (const { types } of exports) assert.deepEqual(types, ['ExportRequested', 'ExportReady']);
  const files = await readFiles(system);
  for (const { key, types } of files) assert.deepEqual(types, ['FileRequested', 'FileReady'], key);
  const distinctQueries = new Set(files.map(({ query }) => JSON.stringify(query)));
  assert.equal(distinctQueries.size, files.length, 'what is asked twice is one file');
  for (const api of apis) {
    for (const id of ready) {
      // A gateway with a broken connection learns of changes some seconds later than the others.
      await isReady(context, { apis: [api] }, id);
      await assertFileStored(api, id);
    }
  }
  assert.equal(await deadLetters(system), 0, 'nothing was put aside');
  return { exports: requestedBodies.length, files: files.length, granted: stored.grants.size };
};

/** The stored state of the account. Throws while an operation is in progress. */
const atRest = async (system: System, account: string): Promise<StoredAccount> => {
  const stored = (await readStoredAccounts(system)).get(account) ?? assert.fail('the account is not known');
  assert.deepEqual(stored.state.reservations, {}, 'every reservation is settled');
  return stored;
};
