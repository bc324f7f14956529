import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { patterns, subjects } from '@almanac/bus';
import { fileProgress } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import { sweepObjects } from './files/sweep-objects.js';
import { startExport } from './start.js';
import { startHarness, type Ready, refuses, type ExportHarness, tickerOf } from './testing/harness.js';
import { log, testRuntime } from './testing/fixture.js';

describe('a ready file', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let event: string;
  const { runtime, stop } = testRuntime();
  before(async () => {
    harness = await startHarness();
    await startExport(harness.fixture.config, runtime);
  });
  after(async () => {
    await stop();
    await harness.close();
  });
  beforeEach(async () => {
    ({ event } = await harness.change());
  });

  const readyOne = async (): Promise<Ready> => harness.endsOnce((await harness.create({ event })).id);
  const replaced = (state: Ready): Promise<Ready> =>
    eventually(async () => {
      const now = await harness.stateOf(state.id);
      assert.ok(now?.status === 'ready' && now.file.storage_key !== state.file.storage_key);
      return now;
    });
  const downloads = async ({ id, file }: Ready): Promise<void> => {
    const body = Buffer.from(await (await fetch((await harness.link(id)).url)).arrayBuffer());
    assert.equal(createHash('sha256').update(body).digest('hex'), file.sha256);
  };
  const sweep = (ageS: number) =>
    sweepObjects(
      { store: jetStreamStore(harness.own), objects: harness.fixture.objects, log, ageS },
      AbortSignal.timeout(60_000),
    );

  it('shows its data version with the link for a client', async () => {
    await harness.stubs.changed(tickerOf(event));
    const state = await readyOne();
    const { manifest } = await harness.link(state.id);
    assert.deepEqual(manifest, {
      query: { ...state.question },
      schema_version: 1,
      markets: [{ ticker: tickerOf(event), data_version: 1, rows: 3 }],
      row_count: 3,
      gaps: [],
      gaps_n: 0,
    });
  });

  it('whose object vanished is prepared again with the same bytes for every export of it, without a reservation', async () => {
    const [first, late] = [await readyOne(), await readyOne()];
    assert.equal(late.file.storage_key, first.file.storage_key);
    await downloads(late);
    const claims = harness.stubs.claims.length;
    await harness.fixture.objects.delete(first.file.storage_key);
    await refuses(harness.missing(first.id), 'export_restoring');
    const again = await replaced(first);
    assert.equal(again.ready_us, first.ready_us);
    assert.deepEqual({ ...again.file, storage_key: '' }, { ...first.file, storage_key: '' });
    await downloads(again);
    assert.notEqual((await harness.missing(late.id)).url, '');
    await downloads(await replaced(late));
    assert.equal(harness.stubs.claims.length, claims);
    const made = await harness.eventsOf('EVT_FILE', subjects.file(first.file_key));
    assert.deepEqual(made, ['FileWanted', 'FileReady', 'FileVanished', 'FileReady']);
  });

  it('whose object exists stays unchanged when an export reports it missing', async () => {
    const state = await readyOne();
    assert.notEqual((await harness.missing(state.id)).url, '');
    assert.deepEqual(await harness.stateOf(state.id), state);
  });

  it('survives the sweep, which deletes objects without a file', async () => {
    const state = await readyOne();
    const { objects } = harness.fixture;
    const orphans = [`files/${state.file_key}/of-a-killed-worker.csv`, `files/${'0'.repeat(64)}/of-no-file.csv`];
    for (const key of orphans) await objects.putStream(key, Readable.from(['x']), { contentType: 'text/csv' });
    await objects.putStream('elsewhere', Readable.from(['x']), { contentType: 'text/csv' });
    await sweep(3_600);
    for (const key of orphans) assert.notEqual(await objects.head(key), undefined, 'a young one is left alone');
    // The store rounds dates to whole seconds.
    await eventually(async () => {
      await sweep(0);
      for (const key of orphans) assert.equal(await objects.head(key), undefined);
    });
    assert.notEqual(await objects.head('elsewhere'), undefined);
    await downloads(state);
  });

  it('reported its progress while it was made', async () => {
    await harness.storeEvent(100_000);
    const gateway = await harness.fixture.busOf('gateway');
    const progressByExport = new Map<string, { rows_done: number; rows: number }[]>();
    gateway.nc.subscribe(patterns.allFileProgress, {
      callback: (_, message) => {
        progressByExport.set(message.subject, [
          ...(progressByExport.get(message.subject) ?? []),
          fileProgress.parse(message.json()),
        ]);
      },
    });
    await gateway.nc.flush();
    const { file_key } = await harness.endsOnce((await harness.create({ event, format: 'json' })).id);
    await gateway.nc.flush();
    const all = progressByExport.get(subjects.fileProgress(file_key)) ?? [];
    assert.deepEqual(all[0], { rows_done: 0, rows: 100_000 });
    assert.ok(all.every(({ rows_done }, index) => rows_done >= (all[index - 1]?.rows_done ?? 0)));
    assert.ok(all.every(({ rows_done, rows }) => rows_done <= rows));
    await gateway.close();
  });
});
