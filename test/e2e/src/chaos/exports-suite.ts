import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { exportFormatIds, exportResponse, exportStreams, marketsResponse } from '@almanac/contracts';
import { accountOfKey, parseApiKey } from '@almanac/runtime';
import { storeGeneratedArchive, type System } from '@almanac/system';
import { eventually, mortalServers, type MortalServers, seeded, type ServerName } from '@almanac/testing';
import type { ApiClient } from '../api.js';
import { type RunningSystem, startRunning } from '../running.js';
import { haveFile, isReady } from './files.js';
import { type Deck, killer, wreak } from './havoc.js';
import { answerOf, type Insisting, keyed, oneOf } from './insist.js';
import { isGrantedOnce } from './reckoning.js';
import { type AccountTruth, deadLetters, readFiles, readTruth } from './truth.js';

/** Counted, but never too many: what is tested is not the limits. */
const many = { requestsPerMinute: null, exportsPerDay: 100_000, exportsPending: 100_000 };
const terms = { PLAN_TERMS: JSON.stringify({ full_book: many }) };
/** Soon, so that what a repeated request reserved in vain is given back before the reckoning. */
const sweeps = { SWEEP_AFTER_S: '5', SWEEP_EVERY_S: '1' };
const lanes = 6;
const downMsMax = 2_000;
/** Exports that become ready between two kills of a deck, about: however long things take, the test gets on. */
const readyBetween = 2;
const kills = ['export', 'gateway', 'gateway-2', 'nats', 'clickhouse', 's3'].map((name) => `kill ${name}`);

export interface ExportChaosOptions {
  /** At least so many, and on until everything has been killed. */
  readonly exports: number;
  readonly seed: number;
}

/**
 * Exports are asked for at two gateways while the worker, gateways, nats-server, ClickHouse and the object store are killed
 * and come back. When all is over each export is ready and its file whole, no file was made twice and no export charged
 * twice. A seed decides what is done, though not at which moment; ALMANAC_CHAOS_SEED sets it.
 */
export const exportsSurvive = (options: ExportChaosOptions): void => {
  const seed = Number(process.env['ALMANAC_CHAOS_SEED'] ?? options.seed);
  void describe(`${options.exports} exports, amid kill -9 of services and servers`, () => {
    void it(`are all ready with the right hash, each file made once and each charged once (seed ${seed})`, async (test) => {
      const servers = await mortalServers();
      const environment = { commerce: { ...terms, ...sweeps }, keys: terms, gateway: terms, timeseries: terms };
      const running = await startRunning({ gateways: 2, environment, servers: servers.starters });
      try {
        const asking = await openAsking(running, seed);
        const figures = await askAmidHavoc(running, servers, { asking, exports: options.exports });
        const made = await reckon(running.system, asking);
        test.diagnostic(JSON.stringify({ ...figures, ...asking.counts, ...made }));
      } finally {
        await running.stop();
      }
    });
  });
};

/** What a POST /exports says. */
type Body = Readonly<Record<string, unknown>>;

interface Asking extends Insisting {
  readonly apis: readonly ApiClient[];
  readonly account: string;
  /** Markets and events whose data does not change any more. */
  readonly targets: readonly Body[];
  readonly asked: Body[];
  /** Ids of the exports that were seen ready. */
  readonly ready: string[];
}

const openAsking = async (running: RunningSystem, seed: number): Promise<Asking> => {
  await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
  const apis = await running.clients('full_book');
  const [api] = apis;
  assert.ok(api !== undefined);
  const { keyId } = parseApiKey(api.key) ?? assert.fail('no key');
  const { markets } = await api.json(marketsResponse, '/markets?status=finalized&limit=200');
  const targets = markets.flatMap(({ ticker, event_ticker: event }) => [{ ticker }, { event }]);
  return {
    random: seeded(seed),
    over: new AbortController(),
    counts: { answered: 0, again: 0, doubled: 0 },
    apis,
    account: accountOfKey(keyId),
    targets,
    asked: [],
    ready: [],
  };
};

const askAmidHavoc = async (
  { system }: RunningSystem,
  servers: MortalServers,
  { asking, exports }: { asking: Asking; exports: number },
) => {
  const { random, ready } = asking;
  const began = performance.now();
  const kill = killer(system, random);
  const lose = (name: ServerName): Deck => ({ [`kill ${name}`]: () => servers.lose(name, random() * downMsMax) });
  const decks: Deck[] = [
    { ...kill('export'), ...kill('gateway'), ...kill('gateway-2') },
    { ...lose('nats'), ...lose('clickhouse'), ...lose('s3') },
  ];
  const havoc = wreak(decks, {
    random,
    over: asking.over,
    progress: () => ready.length,
    progressBetween: readyBetween,
  });
  const lane = async (): Promise<void> => {
    while (asking.asked.length < exports || !havoc.isWhole()) {
      await delay(random() * 500);
      ready.push(await exportOne(asking));
    }
  };
  const work = Array.from({ length: lanes }, lane);
  // The first that fails ends it all, and is what the test tells.
  for (const one of work) one.catch((error: unknown) => asking.over.abort(error));
  await Promise.allSettled(work);
  await havoc.stop();
  asking.over.signal.throwIfAborted();
  assert.deepEqual(Object.keys(havoc.done).toSorted(), kills.toSorted(), 'each was killed at least once');
  return { seconds: Math.round((performance.now() - began) / 1_000), havoc: havoc.done };
};

/** Asks for one, perhaps for what was asked for before, and on until it is ready; answers its id. */
const exportOne = async (asking: Asking): Promise<string> => {
  const { random, asked } = asking;
  const body = asked.length > 0 && random() < 0.3 ? oneOf(asking, asked) : newBody(asking);
  asked.push(body);
  const told = await keyed(asking, asking, '/exports', body);
  const [id, ...others] = new Set(told.map((one) => answerOf(exportResponse, one).id));
  assert.ok(id !== undefined && others.length === 0, 'one key, one export');
  await isReady(asking, asking, id);
  return id;
};

const newBody = (asking: Asking): Body => {
  const streams = exportStreams.filter(() => asking.random() < 0.6);
  const body = { ...oneOf(asking, asking.targets), format: oneOf(asking, exportFormatIds) };
  return streams.length > 0 ? { ...body, streams } : body;
};

const reckon = async (system: System, asking: Asking) => {
  const { apis, account, asked, ready } = asking;
  const truth = await eventually(() => atRest(system, account), { timeoutMs: 60_000 });
  isGrantedOnce(truth);
  // One whose reservation was given up before it was recorded is none: its request was answered with another.
  const exports = truth.exports.filter(({ state }) => state.status !== 'abandoned');
  assert.deepEqual(exports.map(({ state }) => state.id).toSorted(), ready.toSorted(), 'one export for each key');
  for (const { types } of exports) assert.deepEqual(types, ['ExportRequested', 'ExportReady']);
  const files = await readFiles(system);
  for (const { key, types } of files) {
    const made = types.filter((type) => type !== 'WaiterAdded');
    assert.deepEqual(made, ['FileWanted', 'FileReady'], key);
  }
  const questions = new Set(files.map(({ question }) => JSON.stringify(question)));
  assert.equal(questions.size, files.length, 'what is asked twice is one file');
  for (const api of apis) {
    for (const id of ready) {
      // A gateway whose connection broke hears of what happened meanwhile some seconds after the others.
      await isReady(asking, { apis: [api] }, id);
      await haveFile(api, id);
    }
  }
  assert.equal(await deadLetters(system), 0, 'nothing was put aside');
  return { exports: asked.length, files: files.length, granted: truth.grants.size };
};

/** What is stored of the account; throws while something of it is under way. */
const atRest = async (system: System, account: string): Promise<AccountTruth> => {
  const truth = (await readTruth(system)).get(account) ?? assert.fail('the account is not known');
  assert.deepEqual(truth.state.reservations, {}, 'every reservation is settled');
  return truth;
};
