import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { subjects } from '@almanac/bus';
import { DomainError, type ExportResponse } from '@almanac/contracts';
import { type Health, readiness, unixMicros, uuidV5 } from '@almanac/runtime';
import { seededRandom } from '@almanac/testing';
import { storeObservations } from '../testing/archive.js';
import { type ExportHarness, refuses, startHarness, tickerOf } from '../testing/harness.js';
import { queryOf } from '../testing/queries.js';
import type { ReserveInput } from '../testing/stubs.js';

let harness: ExportHarness;
let health: Health;
let account: string;
let event: string;
before(async () => {
  harness = await startHarness();
  health = await harness.start();
});
after(() => harness.close());
beforeEach(async () => {
  ({ account, event } = await harness.change());
});

describe('the export service', { timeout: 240_000 }, () => {
  const whole = { plan_only: false, parts: [], split: false };

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
    const claim = { export_id: created.id, events, day_pack: true, l2: true, use_free_credit: true, ...whole };
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
    const query = queryOf({ event, series: 'KXTEST' });
    const requestedAt = (hoursAgo: number) => {
      const requested_us = unixMicros() - hoursAgo * 3_600e6;
      return { status: 'cancelled', query, grant: 'plan', file_key: 'k', filename: 'f', requested_us };
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
    const responses = await Promise.all(Array.from({ length: 5 }, () => harness.create({ event, format: 'jsonl.gz' })));
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

  it('cancels an export that has not ended, which then has no link', async () => {
    const { id } = await harness.create({ event });
    await harness.endsOnce(id);
    await refuses(harness.cancel(id), 'export_ended');
    const query = queryOf({ event });
    const state = { query, grant: 'plan', file_key: 'never made', filename: 'f', requested_us: 1 };
    const pending = await storedUnder('cancelled', { status: 'pending', ...state });
    assert.equal((await harness.cancel(pending)).status, 'cancelled');
    await refuses(harness.link(pending), 'export_cancelled');
  });
});

describe('concurrent requests with one Idempotency-Key and several bodies', { timeout: 240_000 }, () => {
  /** Reservations of an account with one credit, as commerce makes them. It closes one once its export is ready. */
  const oneCredit = (waitMs: () => number) => {
    const open = new Map<string, string>();
    let isUsed = false;
    const reserve = async (claim: ReserveInput): Promise<{ grant: 'free_credit' }> => {
      await delay(waitMs());
      const known = open.get(claim.export_id);
      const wanted = claim.events.join();
      if (known !== undefined && known !== wanted) throw new DomainError('idempotency_conflict', 'Another export.');
      if (known === undefined && isUsed) throw new DomainError('payment_required', 'No credit is left.');
      isUsed = true;
      open.set(claim.export_id, wanted);
      return { grant: 'free_credit' };
    };
    return { reserve, close: (exportId: string) => open.delete(exportId) };
  };
  after(() => (harness.stubs.reserve = undefined));

  it('create one export, and every request with another body conflicts', async () => {
    const random = seededRandom(1_530);
    const upTo = (max: number): number => Math.floor(random() * max);
    const codes = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      const events = [event, `OTHER-${round}`, `THIRD-${round}`];
      const target = harness.stubs.targets.get(event) ?? assert.fail('no target');
      for (const one of events) harness.stubs.targets.set(one, { ...target, event: one, events: [one] });
      const credit = oneCredit(() => upTo(160));
      harness.stubs.reserve = credit.reserve;
      const idempotency_key = randomUUID();
      const sent = Array.from({ length: 8 }, () => events[upTo(events.length)] ?? event);
      const send = async (one: string): Promise<ExportResponse> => {
        const created = await harness.create({ event: one, idempotency_key });
        credit.close(created.id);
        return created;
      };
      const answers = await Promise.allSettled(sent.map((one) => send(one)));
      const made = answers.flatMap((answer): ExportResponse[] => (answer.status === 'fulfilled' ? [answer.value] : []));
      assert.equal(new Set(made.map(({ id }) => id)).size, 1, 'one export');
      assert.equal(new Set(made.map((one) => one.event)).size, 1, 'of one event');
      for (const [index, answer] of answers.entries()) {
        if (answer.status === 'fulfilled') continue;
        assert.ok(answer.reason instanceof DomainError);
        codes.add(answer.reason.code);
        assert.notEqual(sent[index], made[0]?.event, 'a request with the body of the export gets the export');
      }
    }
    assert.deepEqual([...codes], ['idempotency_conflict']);
  });
});
