import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { archiveState, type ExportManifest } from '@almanac/contracts';
import { consistencySettings, type LaggingReplica, testReplicas, testS3 } from '@almanac/testing';
import { unpackManifest } from './manifest.js';
import { storeObservations } from '../testing/archive.js';
import { startFixtureWith } from '../testing/fixture.js';
import { startHarnessOn, type ExportHarness, tickerOf } from '../testing/harness.js';

const rowsOfRound = 4;
const startS = 1_771_977_600;

describe('exports while a replica of ClickHouse lags', { timeout: 240_000 }, () => {
  let replica: LaggingReplica;
  let harness: ExportHarness;
  before(async () => {
    const fixture = await startFixtureWith(testReplicas, testS3);
    replica = fixture.server;
    harness = await startHarnessOn(fixture);
    await harness.start();
  });
  after(() => harness.close());

  afterEach(async () => {
    replica.ignore([]);
    await replica.catchUp();
  });

  const versionOf = async (ticker: string): Promise<number> =>
    (await harness.stubs.store.load(subjects.archive(ticker), archiveState))?.state.version ?? 0;

  /** Exports a new event after each of some inserts. Returns the rows of its files that are less than their versions promise. */
  const shortFiles = async (rounds: number): Promise<string[]> => {
    replica.ignore([]);
    const { event } = await harness.change();
    await replica.catchUp();
    const ticker = tickerOf(event);
    await harness.stubs.changed(ticker);
    const stored = new Map<number, number>([[await versionOf(ticker), 3]]);
    const short: string[] = [];
    const check = async (id: string): Promise<void> => {
      const { file } = await harness.endsOnce(id);
      const market = await manifestOf(id);
      // An insert reaches the replica after its answer, so the replica can lack the market, too.
      if (market === undefined) return void short.push('no market');
      const { data_version: version, rows } = market;
      assert.equal(rows, file.row_count);
      const promised = version === null ? undefined : stored.get(version);
      assert.ok(rows !== null && promised !== undefined);
      if (rows < promised) short.push(`${rows} of ${promised} rows of version ${version}`);
    };
    for (let round = 1; round <= rounds; round += 1) {
      replica.lag();
      ignore();
      await storeObservations(harness.fixture, rowsIn(ticker, round));
      await harness.stubs.changed(ticker);
      stored.set(await versionOf(ticker), 3 + round * rowsOfRound);
      const [created, again] = await Promise.all([
        harness.create({ event }),
        harness.create({ event, format: 'parquet' }),
        round % 3 === 0 ? replica.catchUp() : undefined,
      ]);
      await check(created.id);
      await check(again.id);
    }
    replica.ignore([]);
    await replica.catchUp();
    // The replica has every row now, so it answers.
    await check((await harness.create({ event, format: 'json' })).id);
    return short;
  };
  let ignore: () => void = () => undefined;

  const rowsIn = (ticker: string, round: number) =>
    Array.from({ length: rowsOfRound }, (_, n) => {
      return { ticker, series: 'KXTEST', ts: String(startS + round * rowsOfRound + n), seq: 1 };
    });
  const manifestOf = async (id: string): Promise<ExportManifest['markets'][number] | undefined> => {
    const { manifest } = await harness.fileOf(id);
    assert.ok(manifest !== null);
    return (await unpackManifest(manifest)).markets[0];
  };

  it('store no file that lacks rows of its data versions', async () => {
    ignore = () => replica.ignore([]);
    replica.reads();
    assert.deepEqual(await shortFiles(3), []);
    const { lagging, refused } = replica.reads();
    assert.ok(lagging > 0 && refused > 3, JSON.stringify({ lagging, refused }));
  });

  for (const setting of consistencySettings) {
    it(`would store short files without ${setting}`, async () => {
      ignore = () => replica.ignore([setting]);
      assert.ok((await shortFiles(2)).length > 0);
    });
  }
});
