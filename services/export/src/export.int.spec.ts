import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { DomainError } from '@almanac/contracts';
import { type Health, readiness } from '@almanac/runtime';
import { startExport } from './start.js';
import { startHarness, refuses, type ExportHarness, thenStop, tickerOf } from './testing/harness.js';
import { storeObservations, testRuntime } from './testing/fixture.js';
import { uuidV5 } from '@almanac/runtime';

describe('the export service', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let account: string;
  let event: string;
  const whole = { plan_only: false, parts: [], split: false };
  before(async () => {
    harness = await startHarness();
  });
  after(() => harness.close());
  beforeEach(async () => {
    ({ account, event } = await harness.change());
  });

  describe('running', () => {
    let stop: () => Promise<void>;
    let health: Health;
    before(async () => {
      const started = testRuntime();
      ({ stop } = started);
      ({ health } = started.runtime);
      await startExport(harness.fixture.config, started.runtime);
    });
    after(() => stop());

    it('answers pending at once, and creates a file that can be downloaded', async () => {
      const created = await harness.create({ event });
      assert.equal(created.status, 'pending');
      assert.equal(created.bytes, 0);
      assert.equal(created.filename, `${event}_snapshots-settlement.csv`);
      const state = await harness.endsOnce(created.id);
      assert.equal(state.file.row_count, 3);
      assert.equal(state.file.markets, 1);
      const answer = await fetch((await harness.link(created.id)).url);
      assert.equal(answer.headers.get('content-type'), 'text/csv');
      assert.match(answer.headers.get('content-disposition') ?? '', new RegExp(`filename="${created.filename}"`));
      assert.equal((await answer.text()).trimEnd().split('\r\n').length, 4);
    });

    it('refuses a missing and an ambiguous target before it calls other services', async () => {
      await refuses(harness.create({ event: '', ticker: null }), 'missing_target');
      await refuses(harness.create({ series: 'KXTEST' }), 'missing_target');
      await refuses(harness.create({ day: '2026-02-25' }), 'missing_target');
      await refuses(harness.create({ event, day: '2026-02-25' }), 'ambiguous_target');
      await refuses(harness.create({ event, ticker: tickerOf(event) }), 'ambiguous_target');
      await refuses(harness.create({ series: 'KXTEST', day: '2026-02-30' }), 'invalid_input');
    });

    it('returns refusals of the catalogue and commerce, and records nothing', async () => {
      await refuses(harness.create({ event: 'UNKNOWN' }), 'event_not_found');
      harness.stubs.refusal = new DomainError('payment_required', 'Not covered.', { more: { options: ['buy'] } });
      const refusal = harness
        .create({ event, idempotency_key: 'unpaid' })
        .finally(() => (harness.stubs.refusal = undefined));
      await assert.rejects(refusal, (error) => error instanceof DomainError && 'options' in (error.options.more ?? {}));
      assert.equal(await harness.stateOf(uuidV5(`${account}\nunpaid`)), undefined);
    });

    it('reserves the events of a day pack, with its books', async () => {
      harness.stubs.targets.set('KXTEST 2023-11-14', {
        event: null,
        ticker: null,
        series: 'KXTEST',
        day: '2023-11-14',
        events: [event, 'ANOTHER'],
        tickers: [tickerOf(event)],
      });
      const created = await harness.create({ series: 'KXTEST', day: '2023-11-14', streams: ['l2'], format: 'parquet' });
      const events = [event, 'ANOTHER'];
      const claim = { export_id: created.id, events, day_pack: true, l2: true, ...whole };
      assert.deepEqual(harness.stubs.claims.at(-1), claim);
      assert.equal(created.filename, 'KXTEST_2023-11-14_l2.parquet');
      await harness.endsOnce(created.id);
    });

    it('repeats the first answer for the same key, and refuses another body with a conflict', async () => {
      const idempotency_key = randomUUID();
      const first = await harness.create({ event, idempotency_key });
      await harness.endsOnce(first.id);
      const claims = harness.stubs.claims.length;
      assert.deepEqual(await harness.create({ event, idempotency_key, streams: ['settlement', 'snapshots'] }), first);
      assert.equal(harness.stubs.claims.length, claims);
      await refuses(harness.create({ event, idempotency_key, format: 'json' }), 'idempotency_conflict');
      await refuses(harness.create({ ticker: event, idempotency_key }), 'idempotency_conflict');
    });

    it('creates one export of simultaneous requests under one key', async () => {
      const idempotency_key = randomUUID();
      const all = await Promise.all(Array.from({ length: 8 }, () => harness.create({ event, idempotency_key })));
      assert.equal(new Set(all.map(({ id }) => id)).size, 1);
      await harness.endsOnce(all[0]?.id ?? '');
    });

    /** Stores a state under the first export id of a key before the request. */
    const storedUnder = async (key: string, state: object): Promise<string> => {
      const id = uuidV5(`${account}\n${key}`);
      const common = { id: randomUUID(), type: 'Before', version: 1, time: 1, account, data: {} };
      const stored = { ...common, state: { id, account, ...state } };
      await harness.own.js.publish(subjects.export(account, id), JSON.stringify(stored));
      return id;
    };

    it('serves a key again, once, whose first request the reservation sweep gave up', async () => {
      const id = await storedUnder('too-late', { status: 'abandoned' });
      const responses = await Promise.all([1, 2].map(() => harness.create({ event, idempotency_key: 'too-late' })));
      assert.equal(new Set(responses.map((one) => one.id)).size, 1);
      assert.notEqual(responses[0]?.id, id);
      await harness.endsOnce(responses[0]?.id ?? '');
      assert.deepEqual(await harness.create({ event, idempotency_key: 'too-late' }), responses[0]);
      await refuses(harness.link(id), 'export_not_found');
    });

    it('reserves a key for 24 hours, then accepts it again, even for another body', async () => {
      const exportQuery = { event, ticker: null, series: 'KXTEST', day: null, streams: ['snapshots'], format: 'csv' };
      const requestedAt = (hoursAgo: number) => {
        const requested_us = Date.now() * 1_000 - hoursAgo * 3_600e6;
        return {
          status: 'cancelled',
          question: exportQuery,
          grant: 'plan',
          file_key: 'k',
          filename: 'f',
          requested_us,
        };
      };
      const young = await storedUnder('young', requestedAt(23.9));
      await refuses(harness.create({ event, idempotency_key: 'young', format: 'json' }), 'idempotency_conflict');
      const first = await harness.create({ event, idempotency_key: 'young', streams: ['snapshots'] });
      assert.deepEqual([first.id, first.status], [young, 'pending']);
      const old = await storedUnder('old', requestedAt(24.1));
      const renewed = await harness.create({ event, idempotency_key: 'old', format: 'json' });
      assert.notEqual(renewed.id, old);
      await harness.endsOnce(renewed.id);
      assert.deepEqual(await harness.create({ event, idempotency_key: 'old', format: 'json' }), renewed);
    });

    it('prepares one file for all equal queries, and another when the data changed', async () => {
      const responses = await Promise.all(
        Array.from({ length: 5 }, () => harness.create({ event, format: 'jsonl.gz' })),
      );
      const ends = await Promise.all(responses.map(({ id }) => harness.ended(id)));
      const keys = new Set(ends.map((state) => (state.status === 'ready' ? state.file.storage_key : state.status)));
      assert.equal(keys.size, 1);
      const [first] = ends;
      assert.ok(first?.status === 'ready');
      const late = await harness.create({ event, format: 'jsonl.gz' });
      const lateState = await harness.ended(late.id);
      assert.ok(lateState.status === 'ready' && keys.has(lateState.file.storage_key));
      await storeObservations(harness.fixture, [{ ticker: tickerOf(event), ts: '1800000000' }]);
      await harness.stubs.changed(tickerOf(event));
      const changed = await harness.endsOnce((await harness.create({ event, format: 'jsonl.gz' })).id);
      assert.notEqual(changed.file.sha256, first.file.sha256);
      assert.equal(changed.file.row_count, 4);
    });

    it('returns the same link while it is fresh, and shows no account an export of another', async () => {
      const { id } = await harness.create({ event });
      await harness.endsOnce(id);
      const first = await harness.link(id);
      assert.deepEqual(await harness.link(id), first);
      await refuses(harness.link(id, randomUUID()), 'export_not_found');
      await refuses(harness.link(randomUUID()), 'export_not_found');
      await refuses(harness.link('not-a-uuid'), 'export_not_found');
    });

    it('is ready when all its dependencies answer', async () => {
      health.serving = true;
      // `degraded` names an almost full disk of the machine that runs the test.
      const { ready, checks } = await readiness(health);
      assert.equal(ready, true);
      assert.deepEqual(checks, { process: 'ok', nats: 'ok', clickhouse: 'ok', object_store: 'ok' });
    });
  });

  it('fails an export after the last attempt with a sentence, and a later one gets its file', async () => {
    const broken = testRuntime();
    await startExport({ ...harness.fixture.config, CLICKHOUSE_PASSWORD: 'wrong', EXPORT_ATTEMPTS: 2 }, broken.runtime);
    const { id } = await harness.create({ event });
    const failed = await thenStop(harness.ended(id), broken.stop);
    assert.ok(failed.status === 'failed');
    assert.match(failed.error, /could not be prepared/);
    const started = testRuntime();
    await startExport(harness.fixture.config, started.runtime);
    await assert.rejects(harness.link(id), (error) => error instanceof DomainError && error.detail === failed.error);
    const again = await thenStop(harness.ended((await harness.create({ event })).id), started.stop);
    assert.ok(again.status === 'ready');
    assert.equal(again.file_key, failed.file_key);
    const types = await harness.eventsOf('EVT_FILE', subjects.file(again.file_key));
    assert.deepEqual(types, ['FileWanted', 'FileFailed', 'FileWanted', 'FileReady']);
  });
});
