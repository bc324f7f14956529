import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportIdAfter, exportIdOfKey, isUuid, partExportId, uuidV5 } from './uuid.js';

describe('a name-based UUID', () => {
  it('is the same for the same name, and different for another', () => {
    assert.equal(uuidV5('a\nb'), uuidV5('a\nb'));
    assert.notEqual(uuidV5('a\nb'), uuidV5('a\nc'));
  });
  it('has the form of version 5', () => {
    assert.ok(isUuid(uuidV5('a')));
    assert.equal(uuidV5('a')[14], '5');
  });
  it('is distinguished from other texts', () => {
    for (const text of ['', 'a', uuidV5('a').slice(1), `${uuidV5('a')}\n`, uuidV5('a').toUpperCase()]) {
      assert.equal(isUuid(text), false, text);
    }
  });
  it('of an Idempotency-Key is that of no other export, whatever the key is', () => {
    const group = exportIdOfKey('acc', 'k');
    assert.equal(group, uuidV5('acc\nk'));
    assert.notEqual(exportIdOfKey('acc', `${group} part 1`), partExportId('acc', group, 1));
    assert.notEqual(exportIdOfKey('acc', `after ${group}`), exportIdAfter('acc', group));
  });
});
