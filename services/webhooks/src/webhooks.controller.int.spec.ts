import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { DomainError, type ErrorCode } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { callsOf, serviceSecret, startFixture, storeExport, type WebhooksFixture } from './testing/fixture.js';
import { manualClock, type ManualClock } from './testing/manual-clock.js';
import { type Receiver, startReceiver } from './testing/receiver.js';

const minuteMs = 60_000;
const refusal = (code: ErrorCode) => (error: unknown) => error instanceof DomainError && error.code === code;

describe('webhooks of accounts', { timeout: 180_000 }, () => {
  let fixture: WebhooksFixture;
  let service: { stop(): Promise<void> };
  let clock: ManualClock;
  let receiver: Receiver;
  let calls: ReturnType<typeof callsOf>;
  before(async () => {
    fixture = await startFixture();
    clock = manualClock();
    service = await fixture.start({ clock });
  });
  after(async () => {
    await service.stop();
    await fixture.stop();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    calls = callsOf(fixture);
  });
  afterEach(() => receiver.stop());

  const count = (expected: number): Promise<void> => eventually(() => assert.equal(receiver.received.length, expected));

  it('of another account do not exist, and give the same answer as one that never did', async () => {
    const { id } = await calls.create({ url: receiver.url, events: ['export.created'] });
    const stranger = callsOf(fixture);
    const details = new Set<string>();
    for (const webhook of [id, 'nonsense', '']) {
      for (const call of [
        () => stranger.get(webhook),
        () => stranger.remove(webhook),
        () => stranger.rotate(webhook),
        () => stranger.enable(webhook),
        () => stranger.test(webhook),
        () => stranger.deliveries(webhook),
        () => stranger.redeliver(webhook, 'msg_1'),
      ])
        await assert.rejects(call, (error) => {
          assert.ok(refusal('webhook_not_found')(error) && error instanceof DomainError);
          details.add(JSON.stringify(error.reply));
          return true;
        });
    }
    assert.equal(details.size, 1);
    assert.equal((await stranger.list()).count, 0);
    assert.equal((await calls.list()).count, 1);
  });

  it('stop when they are deleted', async () => {
    const { id } = await calls.create({ url: receiver.url, events: ['export.created'] });
    receiver.answer = () => 500;
    await storeExport(fixture, calls.account, { types: ['ExportRequested'] });
    // The next attempt is due a minute after the answer to this one.
    await eventually(async () => assert.equal((await calls.deliveries(id)).count, 1));
    await calls.remove(id);
    const other = await calls.create({ url: `${receiver.url}/other`, events: ['export.created'] });
    clock.advance(minuteMs);
    await calls.test(other.id);
    await eventually(() => assert.equal(receiver.received.at(-1)?.path, '/other'));
    assert.equal(receiver.received.filter(({ path }) => path === '/').length, 1);
    await assert.rejects(calls.get(id), refusal('webhook_not_found'));
  });

  it('leave no secret in the log or in an answer but the first', async () => {
    const body = { url: receiver.url, events: ['export.created' as const], idempotency_key: 'one' };
    const { secret, id } = await calls.create(body);
    const again = await calls.create(body);
    assert.deepEqual([again.id, again.secret, again.secret_already_shown], [id, null, true]);
    const sent = { ...body, idempotency_key: 'sent again', requested_us: unixMicros() };
    const [first, repeated] = [await calls.create(sent), await calls.create(sent)];
    assert.ok(first.secret);
    assert.deepEqual([repeated.id, repeated.secret], [first.id, first.secret], 'one request, sent twice');
    await calls.remove(first.id);
    await assert.rejects(calls.create({ ...body, description: 'other' }), refusal('idempotency_conflict'));
    await calls.test(id);
    await count(1);
    const outside = JSON.stringify([await calls.list(), await calls.deliveries(id)]) + fixture.logged();
    assert.ok(!outside.includes(String(secret).slice(6)));
    assert.ok(!outside.includes(serviceSecret));
  });

  it('continue their schedule in another process, and forget it with the delivery', async () => {
    const { id } = await calls.create({ url: receiver.url, events: ['export.created', 'export.ready'] });
    receiver.answer = () => 500;
    const lastAttempt = (n: number): Promise<void> =>
      eventually(async () => assert.equal((await calls.deliveries(id)).deliveries[0]?.attempt, n));
    await storeExport(fixture, calls.account, { types: ['ExportRequested'] });
    await lastAttempt(1);
    clock.advance(minuteMs);
    await lastAttempt(2);
    await service.stop();
    service = await fixture.start({ clock });
    await eventually(() => calls.list());
    clock.advance(minuteMs);
    await lastAttempt(3);
    assert.equal((await calls.get(id)).status, 'enabled');
    receiver.answer = () => 200;
    clock.advance(10 * minuteMs);
    await eventually(async () => assert.equal((await calls.deliveries(id)).deliveries[0]?.status, 'succeeded'));
    await storeExport(fixture, calls.account, { types: ['ExportRequested'] });
    await lastAttempt(1);
  });

  it('to an address that is not public, and of markets without tickers and series, are refused', async () => {
    const own = calls.create({ url: 'https://10.0.0.1/', events: ['export.ready'] });
    await assert.rejects(own, refusal('invalid_input'));
    const markets = calls.create({ url: receiver.url, events: ['market.settled'] });
    await assert.rejects(markets, refusal('invalid_input'));
  });
});
