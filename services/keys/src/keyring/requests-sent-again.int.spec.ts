import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { callsOf, startFixture, type KeysFixture } from '../testing/fixture.js';

describe('API keys whose request is sent again', () => {
  let fixture: KeysFixture;
  let calls: ReturnType<typeof callsOf>;
  let service: { stop(): Promise<void> };
  before(async () => {
    fixture = await startFixture();
    calls = callsOf(fixture);
    service = await fixture.start();
    await fixture.startCommerce();
  });
  after(async () => {
    await service.stop();
    await fixture.stop();
  });

  it('are created once and answered with their secret each time, but not for a later request', async () => {
    const account = await fixture.openAccount('pro');
    const [seed, later] = ['1', '2'].map((digit) => digit.repeat(64));
    const answers = await Promise.all([1, 2, 3].map(() => calls.create(account, 'mine', 'ik-3', seed)));
    const [first] = answers;
    assert.deepEqual(
      answers.map(({ id, secret }) => [id, secret]),
      answers.map(() => [first?.id, first?.secret]),
    );
    await calls.enter(first?.secret ?? null);
    const { id, secret, secret_already_shown } = await calls.create(account, 'mine', 'ik-3', later);
    assert.deepEqual([id, secret, secret_already_shown], [first?.id, null, true]);
    assert.equal((await calls.list(account)).count, 1);
  });
});
