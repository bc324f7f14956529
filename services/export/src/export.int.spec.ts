import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { DomainError } from '@almanac/contracts';
import { type Health, readiness } from '@almanac/runtime';
import { startExport } from './start.js';
import { openStage, refuses, type Stage, thenStop, tickerOf } from './testing/stage.js';
import { storeObservations, testRuntime } from './testing/world.js';
import { uuidV5 } from '@almanac/runtime';

describe('the export service', { timeout: 240_000 }, () => {
  let stage: Stage;
  let account: string;
  let event: string;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());
  beforeEach(async () => {
    ({ account, event } = await stage.change());
  });

  describe('running', () => {
    let stop: () => Promise<void>;
    let health: Health;
    before(async () => {
      const started = testRuntime();
      ({ stop } = started);
      ({ health } = started.runtime);
      await startExport(stage.world.config, started.runtime);
    });
    after(() => stop());

    it('answers pending at once, and makes a file that can be downloaded', async () => {
      const created = await stage.create({ event });
      assert.equal(created.status, 'pending');
      assert.equal(created.bytes, 0);
      assert.equal(created.filename, `${event}_snapshots-settlement.csv`);
      const state = await stage.endsOnce(created.id);
      assert.equal(state.file.row_count, 3);
      assert.equal(state.file.markets, 1);
      const answer = await fetch((await stage.link(created.id)).url);
      assert.equal(answer.headers.get('content-type'), 'text/csv');
      assert.match(answer.headers.get('content-disposition') ?? '', new RegExp(`filename="${created.filename}"`));
      assert.equal((await answer.text()).trimEnd().split('\r\n').length, 4);
    });

    it('refuses no target and two targets, before anything else is asked', async () => {
      await refuses(stage.create({ event: '', ticker: null }), 'missing_target');
      await refuses(stage.create({ series: 'KXTEST' }), 'missing_target');
      await refuses(stage.create({ day: '2026-02-25' }), 'missing_target');
      await refuses(stage.create({ event, day: '2026-02-25' }), 'ambiguous_target');
      await refuses(stage.create({ event, ticker: tickerOf(event) }), 'ambiguous_target');
      await refuses(stage.create({ series: 'KXTEST', day: '2026-02-30' }), 'invalid_input');
    });

    it('hands on what the catalogue and commerce refuse, and records nothing', async () => {
      await refuses(stage.create({ event: 'UNKNOWN' }), 'event_not_found');
      stage.neighbours.refusal = new DomainError('payment_required', 'Not covered.', { more: { options: ['buy'] } });
      const asked = stage
        .create({ event, idempotency_key: 'unpaid' })
        .finally(() => (stage.neighbours.refusal = undefined));
      await assert.rejects(asked, (error) => error instanceof DomainError && 'options' in (error.options.more ?? {}));
      assert.equal(await stage.stateOf(uuidV5(`${account}\nunpaid`)), undefined);
    });

    it('claims the events of a day pack, with its books', async () => {
      stage.neighbours.targets.set('KXTEST 2023-11-14', {
        event: null,
        ticker: null,
        series: 'KXTEST',
        day: '2023-11-14',
        events: [event, 'ANOTHER'],
        tickers: [tickerOf(event)],
      });
      const created = await stage.create({ series: 'KXTEST', day: '2023-11-14', streams: ['l2'], format: 'parquet' });
      const claim = { export_id: created.id, events: [event, 'ANOTHER'], day_pack: true, l2: true };
      assert.deepEqual(stage.neighbours.claims.at(-1), claim);
      assert.equal(created.filename, 'KXTEST_2023-11-14_l2.parquet');
      await stage.endsOnce(created.id);
    });

    it('answers a repetition under the same key as the first time, and another body with a conflict', async () => {
      const idempotency_key = randomUUID();
      const first = await stage.create({ event, idempotency_key });
      await stage.endsOnce(first.id);
      const claims = stage.neighbours.claims.length;
      assert.deepEqual(await stage.create({ event, idempotency_key, streams: ['settlement', 'snapshots'] }), first);
      assert.equal(stage.neighbours.claims.length, claims);
      await refuses(stage.create({ event, idempotency_key, format: 'json' }), 'idempotency_conflict');
      await refuses(stage.create({ ticker: event, idempotency_key }), 'idempotency_conflict');
    });

    it('makes one export of simultaneous requests under one key', async () => {
      const idempotency_key = randomUUID();
      const all = await Promise.all(Array.from({ length: 8 }, () => stage.create({ event, idempotency_key })));
      assert.equal(new Set(all.map(({ id }) => id)).size, 1);
      await stage.endsOnce(all[0]?.id ?? '');
    });

    /** What holds the key's first id when a request comes. */
    const storedUnder = async (key: string, state: object): Promise<string> => {
      const id = uuidV5(`${account}\n${key}`);
      const common = { id: randomUUID(), type: 'Before', version: 1, time: 1, account, data: {} };
      const stored = { ...common, state: { id, account, ...state } };
      await stage.own.js.publish(subjects.export(account, id), JSON.stringify(stored));
      return id;
    };

    it('serves a key again whose first request the sweep of reservations gave up, once', async () => {
      const id = await storedUnder('too-late', { status: 'abandoned' });
      const asked = await Promise.all([1, 2].map(() => stage.create({ event, idempotency_key: 'too-late' })));
      assert.equal(new Set(asked.map((one) => one.id)).size, 1);
      assert.notEqual(asked[0]?.id, id);
      await stage.endsOnce(asked[0]?.id ?? '');
      assert.deepEqual(await stage.create({ event, idempotency_key: 'too-late' }), asked[0]);
      await refuses(stage.link(id), 'export_not_found');
    });

    it('holds a key for 24 hours, and after them serves it anew, for something else too', async () => {
      const question = { event, ticker: null, series: 'KXTEST', day: null, streams: ['snapshots'], format: 'csv' };
      const asked = (hoursAgo: number) => {
        const requested_us = Date.now() * 1_000 - hoursAgo * 3_600e6;
        return { status: 'cancelled', question, grant: 'plan', file_key: 'k', filename: 'f', requested_us };
      };
      const young = await storedUnder('young', asked(23.9));
      await refuses(stage.create({ event, idempotency_key: 'young', format: 'json' }), 'idempotency_conflict');
      const first = await stage.create({ event, idempotency_key: 'young', streams: ['snapshots'] });
      assert.deepEqual([first.id, first.status], [young, 'pending']);
      const old = await storedUnder('old', asked(24.1));
      const anew = await stage.create({ event, idempotency_key: 'old', format: 'json' });
      assert.notEqual(anew.id, old);
      await stage.endsOnce(anew.id);
      assert.deepEqual(await stage.create({ event, idempotency_key: 'old', format: 'json' }), anew);
    });

    it('prepares a file once for all who ask the same, and again when the data changed', async () => {
      const asked = await Promise.all(Array.from({ length: 5 }, () => stage.create({ event, format: 'jsonl.gz' })));
      const ends = await Promise.all(asked.map(({ id }) => stage.ended(id)));
      const keys = new Set(ends.map((state) => (state.status === 'ready' ? state.file.storage_key : state.status)));
      assert.equal(keys.size, 1);
      const [first] = ends;
      assert.ok(first?.status === 'ready');
      const late = await stage.create({ event, format: 'jsonl.gz' });
      const lateState = await stage.ended(late.id);
      assert.ok(lateState.status === 'ready' && keys.has(lateState.file.storage_key));
      await storeObservations(stage.world, [{ ticker: tickerOf(event), ts: '1800000000' }]);
      await stage.neighbours.changed(tickerOf(event));
      const changed = await stage.endsOnce((await stage.create({ event, format: 'jsonl.gz' })).id);
      assert.notEqual(changed.file.sha256, first.file.sha256);
      assert.equal(changed.file.row_count, 4);
    });

    it('keeps a link while it is fresh, and shows nobody an export of another account', async () => {
      const { id } = await stage.create({ event });
      await stage.endsOnce(id);
      const first = await stage.link(id);
      assert.deepEqual(await stage.link(id), first);
      await refuses(stage.link(id, randomUUID()), 'export_not_found');
      await refuses(stage.link(randomUUID()), 'export_not_found');
      await refuses(stage.link('not-a-uuid'), 'export_not_found');
    });

    it('is ready when all that it needs answers', async () => {
      health.serving = true;
      assert.deepEqual(await readiness(health), {
        ready: true,
        checks: { process: 'ok', nats: 'ok', clickhouse: 'ok', object_store: 'ok' },
      });
    });
  });

  it('fails an export after the last attempt with a sentence, and a later one gets its file', async () => {
    const broken = testRuntime();
    await startExport({ ...stage.world.config, CLICKHOUSE_PASSWORD: 'wrong', EXPORT_ATTEMPTS: 2 }, broken.runtime);
    const { id } = await stage.create({ event });
    const failed = await thenStop(stage.ended(id), broken.stop);
    assert.ok(failed.status === 'failed');
    assert.match(failed.error, /could not be prepared/);
    const started = testRuntime();
    await startExport(stage.world.config, started.runtime);
    await assert.rejects(stage.link(id), (error) => error instanceof DomainError && error.detail === failed.error);
    const again = await thenStop(stage.ended((await stage.create({ event })).id), started.stop);
    assert.ok(again.status === 'ready');
    assert.equal(again.file_key, failed.file_key);
    const types = await stage.eventsOf('EVT_FILE', subjects.file(again.file_key));
    assert.deepEqual(types, ['FileWanted', 'FileFailed', 'FileWanted', 'FileReady']);
  });
});
