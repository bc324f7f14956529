import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { patterns, subjects } from '@almanac/bus';
import { fileProgress } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import { sweepFiles } from './sweep-objects.js';
import { startRunningHarness, type Ready, refuses, type ExportHarness } from '../testing/harness.js';
import { log } from '../testing/fixture.js';

describe('a ready file', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let event: string;
  before(async () => {
    harness = await startRunningHarness();
  });
  after(() => harness.close());
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
  const dayS = 86_400;
  /** The state of the store some days from now. */
  const sweep = (inDays: number, policy = { maxAgeDays: 0, unusedDays: 0 }) => {
    const { objects } = harness.fixture;
    const options = { bus: harness.own, store: jetStreamStore(harness.own), objects, log, ageS: dayS, ...policy };
    const nowUs = () => (Date.now() + inDays * dayS * 1_000) * 1_000;
    return sweepFiles(options, { process: 'test', signal: AbortSignal.timeout(60_000), nowUs });
  };

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
    assert.deepEqual(made, ['FileRequested', 'FileReady', 'FileMissing', 'FileReady']);
  });

  it('whose object exists stays unchanged when an export reports it missing', async () => {
    const state = await readyOne();
    assert.notEqual((await harness.missing(state.id)).url, '');
    assert.deepEqual(await harness.stateOf(state.id), state);
  });

  it('survives the sweep, which deletes what a killed worker left of it', async () => {
    const state = await readyOne();
    const { objects } = harness.fixture;
    const left = `files/${state.file_key}/of-a-killed-worker.csv`;
    for (const key of [left, 'elsewhere'])
      await objects.putStream(key, Readable.from(['x']), { contentType: 'text/csv' });
    await sweep(0.9);
    assert.notEqual(await objects.head(left), undefined, 'a young one stays');
    await sweep(1.1);
    assert.equal(await objects.head(left), undefined);
    assert.notEqual(await objects.head('elsewhere'), undefined);
    await downloads(state);
  });

  it('that a policy removed is prepared again with the same bytes, without a charge', async () => {
    const claims = harness.stubs.claims.length;
    const state = await readyOne();
    await downloads(state);
    await sweep(6.9, { maxAgeDays: 7, unusedDays: 0 });
    await downloads(state);
    await sweep(7.1, { maxAgeDays: 7, unusedDays: 0 });
    assert.equal(await harness.fixture.objects.head(state.file.storage_key), undefined);
    await refuses(harness.missing(state.id), 'export_restoring');
    const again = await replaced(state);
    assert.deepEqual({ ...again.file, storage_key: '' }, { ...state.file, storage_key: '' });
    await downloads(again);
    assert.equal(harness.stubs.claims.length, claims + 1);
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
