import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mayTake } from './shards.js';

describe('a lease', () => {
  const holder = (name: string) => ({ seq: 7, holder: name });
  const seenFor = (ms: number, seq = 7) => ({ id: 'me', seen: { seq, since: 1_000 }, nowMs: 1_000 + ms });

  it('may be taken if nobody holds it, or if this process held it', () => {
    assert.equal(mayTake(holder(''), { id: 'me', seen: undefined, nowMs: 0 }), true);
    assert.equal(mayTake(holder('me'), { id: 'me', seen: undefined, nowMs: 0 }), true);
  });

  it('of another process may be taken after 12 s without a renewal', () => {
    assert.equal(mayTake(holder('other'), { id: 'me', seen: undefined, nowMs: 0 }), false);
    assert.equal(mayTake(holder('other'), seenFor(11_999)), false);
    assert.equal(mayTake(holder('other'), seenFor(12_000)), true);
    assert.equal(mayTake(holder('other'), seenFor(60_000, 6)), false, 'it was renewed');
  });
});
