import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureStream, natsAccounts, subjects } from '@almanac/bus';
import { archiveState, DomainError, type UserName } from '@almanac/contracts';
import { testNats, type TestNats } from '@almanac/testing';
import { type DataChange, recordDataChange } from './data-version.js';
import { execute } from './decider.js';
import { jetStreamStore } from './jetstream-store.js';
import { addition, counter, counterState } from './testing/test-counter.js';

const password = 'test';
const userNames = ['keys', 'commerce', 'timeseries'] as const;
const changeOf = (ticker: string): DataChange => ({ ticker, cause: 'observations', rows: 1, min_us: 1, max_us: 2 });
const idOf = (ticker: string): string => `capture-${ticker}`;

describe('an archive that is full', { timeout: 120_000 }, () => {
  let nats: TestNats;
  const open: AdminBus[] = [];
  const connect = async (user: UserName, storageBytes: number): Promise<AdminBus> => {
    const bus = await connectBus({ url: nats.url, user, password, storageBytes });
    open.push(bus);
    return bus;
  };
  const captured = (bus: AdminBus, ticker: string) =>
    recordDataChange(jetStreamStore(bus), subjects.archive(ticker), changeOf(ticker), { id: idOf(ticker) });
  const append = async (bus: AdminBus, subject: string) =>
    execute(jetStreamStore(bus), counter, addition(subject, `event of ${subject}`, { by: 1 }, 10_000));

  before(async () => {
    nats = await testNats({ accounts: natsAccounts(() => password) });
  });
  after(async () => {
    for (const bus of open) await bus.close();
    await nats.stop();
  });

  it('makes captures wait, while a key is revoked and a payment is recorded, and loses nothing', async () => {
    const [keys, commerce, timeseries] = await Promise.all(userNames.map((user) => connect(user, 600_000)));
    assert.ok(keys && commerce && timeseries);
    await ensureStream(keys, 'EVT_KEYS');
    await ensureStream(commerce, 'EVT_COMMERCE');
    await ensureStream(commerce, 'EVT_STRIPE');
    await ensureStream(timeseries, 'EVT_ARCHIVE');
    const stored: string[] = [];
    await assert.rejects(
      async () => {
        for (let n = 0; n < 10_000; n += 1) {
          await captured(timeseries, `M-${n}`);
          stored.push(`M-${n}`);
        }
      },
      (error) => {
        assert.ok(error instanceof DomainError);
        assert.deepEqual([error.code, error.options.more], ['unavailable', { retry_after_s: 10 }]);
        return true;
      },
    );

    for (const [bus, subject] of [
      [keys, subjects.keyring('a')],
      [commerce, subjects.account('a')],
      [commerce, subjects.stripeEvent('evt_1')],
    ] as const) {
      await append(bus, subject);
      assert.equal((await jetStreamStore(bus).load(subject, counterState))?.state.sum, 1);
    }

    // The operator raises the limit, and the capture repeats what was refused.
    const larger = await connect('timeseries', 1_200_000);
    await ensureStream(larger, 'EVT_ARCHIVE');
    const refused = `M-${stored.length}`;
    assert.equal((await captured(larger, refused)).version, 1);
    const store = jetStreamStore(larger);
    for (const ticker of [...stored, refused]) {
      assert.equal((await store.load(subjects.archive(ticker), archiveState))?.state.version, 1);
    }
  });
});
