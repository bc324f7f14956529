import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { DomainError, type ErrorCode } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { failingMsMax } from './schedule.js';
import {
  callsOf,
  changeData,
  startFixture,
  storeExport,
  storeMarket,
  type WebhooksFixture,
} from '../testing/fixture.js';
import { manualClock, type ManualClock } from '../testing/manual-clock.js';
import { isSignedBy, type Receiver, startReceiver } from '../testing/receiver.js';

const minuteMs = 60_000;
const refusal = (code: ErrorCode) => (error: unknown) => error instanceof DomainError && error.code === code;

describe('webhooks', { timeout: 180_000 }, () => {
  let fixture: WebhooksFixture;
  let service: { stop(): Promise<void> };
  let clock: ManualClock;
  let receiver: Receiver;
  let calls: ReturnType<typeof callsOf>;
  before(async () => {
    // The other tests of webhooks have one partition.
    fixture = await startFixture(4);
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
  const types = (): string[] => receiver.received.map(({ body }) => body.type);

  it('send the events of exports in order, signed, with the same id at each webhook', async () => {
    const { secret } = await calls.create({
      url: `${receiver.url}/a`,
      events: ['export.created', 'export.ready', 'export.failed', 'export.cancelled'],
    });
    const id = await storeExport(fixture, calls.account, { types: ['ExportRequested', 'ExportReady'] });
    await count(2);
    assert.deepEqual(types(), ['export.created', 'export.ready']);
    for (const one of receiver.received) {
      assert.ok(isSignedBy(secret, one));
      assert.equal(one.path, '/a');
      assert.equal(one.body.data['id'], id);
      assert.match(one.body.timestamp, /^\d{4}-\d\d-\d\dT.*Z$/);
      assert.ok(Math.abs(Number(one.headers['webhook-timestamp']) - Date.now() / 1_000) < 60);
    }
    assert.deepEqual(
      receiver.received.map(({ body }) => [body.data['status'], 'download_url' in body.data]),
      [
        ['pending', false],
        ['ready', false],
      ],
    );
  });

  it('send only the chosen types, only of their own account, and nothing from before their creation', async () => {
    await storeExport(fixture, calls.account, { types: ['ExportRequested', 'ExportReady'] });
    await calls.create({ url: receiver.url, events: ['export.failed'] });
    await storeExport(fixture, callsOf(fixture).account, { types: ['ExportRequested', 'ExportFailed'] });
    const id = await storeExport(fixture, calls.account, { types: ['ExportRequested', 'ExportFailed'] });
    await count(1);
    assert.equal(receiver.received[0]?.body.data['id'], id);
  });

  it('repeat a failed delivery later, before the next one of its object, while others go on', async () => {
    const { id: webhook } = await calls.create({
      url: receiver.url,
      events: ['export.created', 'export.ready'],
    });
    let broken = true;
    const first = await storeExport(fixture, callsOf(fixture).account, { types: [] });
    receiver.answer = ({ body }) => (broken && body.data['id'] === first ? 500 : 200);
    await storeExport(fixture, calls.account, { id: first, types: ['ExportRequested', 'ExportReady'] });
    const second = await storeExport(fixture, calls.account, { types: ['ExportRequested', 'ExportReady'] });
    await count(3);
    const attempts = await eventually(async () => {
      const { deliveries } = await calls.deliveries(webhook);
      assert.equal(deliveries.length, 3);
      return deliveries;
    });
    const failed = attempts.find(({ status }) => status === 'failed');
    assert.deepEqual(
      [failed?.object, failed?.attempt, failed?.response_status, failed?.error],
      [first, 1, 500, 'Answered 500.'],
    );
    assert.ok(Number(failed?.next_attempt_ts) > Number(failed?.sent_ts));
    const of = (id: string) => receiver.received.filter(({ body }) => body.data['id'] === id);
    assert.deepEqual(
      of(second).map(({ body }) => body.type),
      ['export.created', 'export.ready'],
    );
    clock.advance(minuteMs);
    await count(4);
    // The time of the next attempt counts from the answer to this one.
    await eventually(async () => assert.equal((await calls.deliveries(webhook)).count, 4));
    broken = false;
    clock.advance(minuteMs);
    await count(6);
    assert.deepEqual(
      of(first).map(({ body }) => body.type),
      ['export.created', 'export.created', 'export.created', 'export.ready'],
    );
    assert.equal(new Set(of(first).map(({ headers }) => headers['webhook-id'])).size, 2);
  });

  it('are disabled with a reason 24 hours after the first failure, and go on with new events once enabled', async () => {
    const { id } = await calls.create({ url: receiver.url, events: ['export.created'] });
    receiver.answer = () => 503;
    await storeExport(fixture, calls.account, { types: ['ExportRequested'] });
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      await count(attempts);
      await eventually(async () => assert.equal((await calls.deliveries(id)).count, attempts));
      assert.equal((await calls.get(id)).status, 'enabled');
      clock.advance(attempts < 5 ? 60 * minuteMs : failingMsMax);
    }
    const disabled = await eventually(async () => {
      const webhook = await calls.get(id);
      assert.equal(webhook.status, 'disabled');
      return webhook;
    });
    assert.match(String(disabled.disabled_reason), /24 hours.*503/);
    await assert.rejects(calls.test(id), refusal('webhook_disabled'));
    await storeExport(fixture, calls.account, { types: ['ExportRequested'] });
    receiver.answer = () => 200;
    assert.equal((await calls.enable(id)).status, 'enabled');
    receiver.received.splice(0);
    const enabledAgain = await calls.test(id);
    await count(1);
    assert.equal(receiver.received[0]?.headers['webhook-id'], enabledAgain.delivery_id);
  });

  it('are disabled at once by 410', async () => {
    const { id } = await calls.create({ url: receiver.url, events: ['export.created'] });
    receiver.answer = () => 410;
    await calls.test(id);
    await eventually(async () => assert.match(String((await calls.get(id)).disabled_reason), /410/));
  });

  it('do not follow a redirect, and treat it and a silent receiver as failures', async () => {
    const other = await startReceiver();
    const { id } = await calls.create({ url: receiver.url, events: ['export.created'] });
    receiver.headers = { location: other.url };
    receiver.answer = () => 307;
    await calls.test(id);
    const lastError = (text: RegExp) =>
      eventually(async () => assert.match(String((await calls.deliveries(id)).deliveries[0]?.error), text));
    await lastError(/307\. Redirects are not followed/);
    receiver.answer = () => undefined;
    clock.advance(minuteMs);
    await lastError(/No answer within 2 s/);
    assert.equal(other.received.length, 0);
    await other.stop();
  });

  it('send the newest state of a market that changed, and its settlement', async () => {
    const ticker = `M.${calls.account}`;
    await storeMarket(fixture, { ticker, series: 'S', close_us: 1 });
    await changeData(fixture, ticker);
    await calls.create({ url: receiver.url, events: ['market.settled', 'market.data_changed'], tickers: [ticker] });
    await changeData(fixture, ticker);
    await count(1);
    await storeMarket(fixture, { ticker, title: 'not settled' });
    await storeMarket(fixture, { ticker, result: 'yes' });
    await storeMarket(fixture, { ticker, settlement_us: 5 });
    await count(2);
    await storeMarket(fixture, { ticker, result: 'no' });
    await count(3);
    assert.deepEqual(
      receiver.received.map(({ body }) => [body.type, body.data['data_version'] ?? body.data['result']]),
      [
        ['market.data_changed', 2],
        ['market.settled', 'yes'],
        ['market.settled', 'no'],
      ],
    );
  });

  it('of a series send the events of its markets, and many changes that wait as one', async () => {
    const series = `S-${calls.account}`;
    const ticker = `${series}-1`;
    await storeMarket(fixture, { ticker, series });
    receiver.answer = () => 500;
    await calls.create({ url: receiver.url, events: ['market.data_changed'], series: [series] });
    await changeData(fixture, ticker);
    await count(1);
    for (let n = 0; n < 5; n += 1) await changeData(fixture, ticker);
    const other = callsOf(fixture);
    const second = await startReceiver();
    await other.create({ url: second.url, events: ['market.data_changed'], tickers: [`${ticker}-last`] });
    await changeData(fixture, `${ticker}-last`);
    await eventually(() => assert.equal(second.received.length, 1));
    receiver.answer = () => 200;
    clock.advance(minuteMs);
    await eventually(() => assert.equal(receiver.received.at(-1)?.body.data['data_version'], 6));
    assert.ok(receiver.received.length <= 3);
    await second.stop();
  });

  it('sign with the old and the new secret after a rotation', async () => {
    const { id, secret: old } = await calls.create({ url: receiver.url, events: ['export.created'] });
    const rotated = await calls.rotate(id);
    assert.notEqual(rotated.secret, old);
    assert.ok(Number(rotated.previous_secret_expires_ts) > Date.now() / 1_000 + 23 * 3_600);
    await calls.test(id);
    await count(1);
    const [delivery] = receiver.received;
    assert.ok(delivery);
    assert.ok(isSignedBy(old, delivery) && isSignedBy(rotated.secret, delivery));
    await calls.rotate(id);
    await calls.test(id);
    await eventually(() => {
      const last = receiver.received.at(-1);
      assert.ok(last && receiver.received.length === 2);
      assert.ok(!isSignedBy(old, last) && isSignedBy(rotated.secret, last));
    });
  });

  it('log their newest 100 attempts, page by page, and send a delivery again', async () => {
    const { id } = await calls.create({ url: receiver.url, events: ['export.created'] });
    const sent: string[] = [];
    for (let n = 0; n < 103; n += 1) sent.push((await calls.test(id)).delivery_id);
    await count(103);
    const listed: string[] = [];
    await eventually(async () => {
      listed.splice(0);
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await calls.deliveries(id, { limit: 40, cursor });
        assert.equal(page.has_more, page.next_cursor !== null);
        listed.push(...page.deliveries.map((one) => one.id));
        cursor = page.next_cursor;
      }
      assert.deepEqual(listed, sent.toReversed().slice(0, 100));
    });
    const last = receiver.received.at(-1);
    await calls.redeliver(id, sent.at(-1) ?? '');
    await count(104);
    const again = receiver.received.at(-1);
    assert.deepEqual([again?.text, again?.headers['webhook-id']], [last?.text, last?.headers['webhook-id']]);
    await assert.rejects(calls.redeliver(id, sent[0] ?? ''), refusal('delivery_not_found'));
    await assert.rejects(calls.deliveries(id, { cursor: 'x' }), refusal('invalid_cursor'));
  });
});
