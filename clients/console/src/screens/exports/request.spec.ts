import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draftIn, requestOf, withDraft } from './request.js';

describe('the draft of an export', () => {
  it('is in the address, and comes back from it', () => {
    for (const address of [
      'event=E-1&streams=snapshots%2Cl2&format=csv&formulas=escape',
      'ticker=T-1&streams=trades&format=parquet&numbers=float',
      'series=S&from=2026-02-25&to=2026-02-27&streams=snapshots&format=jsonl.gz&split=day',
    ]) {
      const draft = draftIn(new URLSearchParams(address));
      assert.deepEqual(draftIn(withDraft(new URLSearchParams('as_of=5'), draft)), draft);
      assert.equal(withDraft(new URLSearchParams('as_of=5'), draft).get('as_of'), '5');
    }
  });

  it('has one target when another kind is chosen', () => {
    const draft = draftIn(new URLSearchParams('event=E-1'));
    const next = withDraft(new URLSearchParams('event=E-1'), { ...draft, kind: 'market', id: 'T-1' });
    assert.deepEqual([next.get('event'), next.get('ticker')], [null, 'T-1']);
  });

  it('becomes the request of the API, one day as a day and more as a range', () => {
    const series = draftIn(new URLSearchParams('series=S&from=2026-02-25'));
    const common = { streams: ['snapshots'], format: 'parquet', numbers: 'decimal' };
    assert.deepEqual(requestOf(series, undefined), { series: 'S', day: '2026-02-25', ...common });
    const range = { series: 'S', from: '2026-02-25', to: '2026-02-26', ...common, as_of: 9 };
    assert.deepEqual(requestOf({ ...series, to: '2026-02-26' }, 9), range);
    assert.deepEqual(requestOf(draftIn(new URLSearchParams('ticker=T')), undefined), { ticker: 'T', ...common });
  });

  it('says what is missing', () => {
    for (const address of ['', 'event=%20', 'event=E&streams=', 'series=S']) {
      assert.ok('missing' in requestOf(draftIn(new URLSearchParams(address)), undefined), address);
    }
  });
});
