import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noticeOfEmpty } from './empty-window.js';

const us = (time: string): number => Date.parse(time) * 1_000;
const window = { startUs: us('2026-11-27T00:00:00Z'), endUs: us('2026-11-27T06:00:00Z') };

describe('the notice on an empty window', () => {
  it('names the rows before and after it, and the nearer one', () => {
    const both = noticeOfEmpty('observation', window, [us('2026-11-26T23:59:30Z'), us('2026-11-27T10:00:00Z')]);
    assert.equal(
      both.detail,
      'No observation is stored in this window. The last one before is at 2026-11-26T23:59:30Z, 30 s earlier. The first one after is at 2026-11-27T10:00:00Z, 4 h later.',
    );
    assert.equal(both.nearest, String(us('2026-11-26T23:59:30Z') / 1e6));
  });

  it('counts a row at its end as after it', () => {
    const { detail, nearest } = noticeOfEmpty('trade', window, [window.endUs]);
    assert.match(
      detail,
      /^No trade is stored in this window\. The first one after is at 2026-11-27T06:00:00Z, 0 s later\.$/,
    );
    assert.equal(nearest, String(window.endUs / 1e6));
  });

  it('says that nothing is stored', () => {
    const { detail, nearest } = noticeOfEmpty('observation', window, []);
    assert.deepEqual([detail, nearest], ['No observation of this market is stored.', null]);
  });
});
