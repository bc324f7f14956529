import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectBus } from '@almanac/bus';
import { type ApiKey, DomainError, type ErrorCode } from '@almanac/contracts';
import { newKeyId } from '@almanac/runtime';
import { callsOf, type KeysFixture, startFixture } from './testing/fixture.js';

const refusal = (code: ErrorCode) => (error: unknown) => error instanceof DomainError && error.code === code;

describe('keys revoked long ago', { timeout: 180_000 }, () => {
  let fixture: KeysFixture;
  let calls: ReturnType<typeof callsOf>;
  let service: { stop: () => Promise<void> };
  before(async () => {
    fixture = await startFixture();
    await fixture.startCommerce();
    service = await fixture.start();
    calls = callsOf(fixture);
  });
  after(async () => {
    await service.stop();
    await fixture.stop();
  });

  const listAll = async (account: string): Promise<{ keys: ApiKey[]; pages: number }> => {
    const keys: ApiKey[] = [];
    let pages = 0;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await calls.list(account, cursor);
      assert.equal(page.count, page.keys.length);
      assert.equal(page.has_more, page.next_cursor !== null);
      keys.push(...page.keys);
      pages += 1;
      cursor = page.next_cursor;
    }
    return { keys, pages };
  };

  const storedBytes = async (): Promise<number> => {
    const bus = await connectBus({ url: fixture.nats.url, user: 'keys', password: 'test' });
    const { state } = await bus.jsm.streams.info('EVT_KEYS');
    await bus.close();
    return state.bytes;
  };

  it('are listed page by page, each once, and revoking them again returns them', async () => {
    // Without a limit, because a plan with a limit creates at most 100 keys a day.
    const account = await fixture.openAccount('internal');
    const other = await fixture.openAccount('internal');
    const active = await calls.create(account, 'active');
    const revoked: ApiKey[] = [];
    for (let n = 0; n < 230; n += 1) {
      const { id } = await calls.create(account, `key ${n}`);
      revoked.push(await calls.revoke(account, id));
      // The stream has events of other accounts between them.
      if (n % 10 === 0) await calls.create(other, 'theirs');
    }
    const { keys, pages } = await listAll(account);
    assert.deepEqual(
      keys.map(({ id }) => id),
      [...revoked.toReversed().slice(0, 100), active, ...revoked.toReversed().slice(100)].map(({ id }) => id),
    );
    assert.equal(pages, 3);
    for (const one of [revoked[0], revoked[60], revoked[131], revoked[229]]) {
      assert.ok(one);
      assert.deepEqual(await calls.revoke(account, one.id), one);
    }
    await assert.rejects(calls.revoke(account, newKeyId(account)), refusal('key_not_found'));
    await assert.rejects(calls.revoke(other, revoked[0]?.id ?? ''), refusal('key_not_found'));
    await assert.rejects(calls.list(account, 'no cursor'), refusal('invalid_cursor'));
  });

  it('do not keep the oldest key from being revoked', async () => {
    const account = await fixture.openAccount('internal');
    const oldest = await calls.create(account, 'oldest');
    for (let n = 0; n < 101; n += 1) await calls.revoke(account, (await calls.create(account, `key ${n}`)).id);
    const revoked = await calls.revoke(account, oldest.id);
    assert.equal(revoked.status, 'revoked');
    assert.ok((await listAll(account)).keys.some(({ id }) => id === oldest.id));
  });

  it('cannot fill the stream: a plan with a limit creates 100 keys a day, and its events stay small', async () => {
    const account = await fixture.openAccount('free');
    const name = 'n'.repeat(80);
    const bytesBefore = await storedBytes();
    for (let n = 0; n < 100; n += 1) await calls.revoke(account, (await calls.create(account, name)).id);
    await assert.rejects(calls.create(account, name), (error) => {
      assert.ok(refusal('key_daily_limit')(error) && error instanceof DomainError);
      const wait = Number(error.options.more?.['retry_after_s']);
      assert.ok(wait > 0 && wait <= 86_400);
      return true;
    });
    const stored = (await storedBytes()) - bytesBefore;
    assert.ok(stored < 10e6, `the account stored ${stored} bytes in a day`);
  });
});
