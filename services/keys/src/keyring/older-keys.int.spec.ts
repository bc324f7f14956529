import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiKey, DomainError, type ErrorCode } from '@almanac/contracts';
import { newKeyId } from '@almanac/runtime';
import { callsOf, type KeysFixture, startFixture } from '../testing/fixture.js';

const refusal = (code: ErrorCode) => (error: unknown) => error instanceof DomainError && error.code === code;

describe('keys revoked long ago', () => {
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

  it('are listed page by page, each once, and revoking them again returns them', async () => {
    // Without a limit, because a plan with a limit creates at most 100 keys a day.
    const account = await fixture.openAccount('internal');
    const other = await fixture.openAccount('internal');
    const active = await calls.create(account, 'active');
    const revoked: ApiKey[] = [];
    for (let n = 0; n < 130; n += 1) {
      const { id } = await calls.create(account, `key ${n}`);
      revoked.push(await calls.revoke(account, id));
      // The stream has events of other accounts between them.
      if (n % 10 === 0) await calls.create(other, 'theirs');
      // A page is found by a binary search, so each number of keys is another case.
      if (n < 101 || n % 7 !== 0) continue;
      const { keys, pages } = await listAll(account);
      const newest = revoked.toReversed();
      const listed = [...newest.slice(0, 100), active, ...newest.slice(100)];
      assert.deepEqual([keys.map(({ id: key }) => key), pages], [listed.map(({ id: key }) => key), 2]);
    }
    for (const one of [revoked[0], revoked[29], revoked[31], revoked[129]]) {
      assert.ok(one);
      assert.deepEqual(await calls.revoke(account, one.id), one);
    }
    await assert.rejects(calls.revoke(account, newKeyId(account)), refusal('key_not_found'));
    await assert.rejects(calls.revoke(other, revoked[0]?.id ?? ''), refusal('key_not_found'));
    await assert.rejects(calls.list(account, 'no cursor'), refusal('invalid_cursor'));
  });
});
