import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextLink } from './head-headers.js';

const path = '/api/v1/events/E/snapshots';
const linkOf = (query: string, head: object, method = 'GET'): string | undefined =>
  nextLink({ url: `${path}${query}`, method }, { has_more: true, start_ts: 100, end_ts: 200, ...head });
const to = (query: string): string => `<${path}?${query}>; rel="next"`;

describe('the link to the next page', () => {
  it('has the next markets of the same window before later times', () => {
    const both = { next_cursor: 'c2', next_start_ts: 200 };
    assert.equal(linkOf('?start_ts=100&end_ts=900', both), to('start_ts=100&end_ts=900&cursor=c2'));
    assert.equal(linkOf('?start_ts=100&end_ts=900&cursor=c1', both), to('start_ts=100&end_ts=900&cursor=c2'));
  });

  it('begins with the first markets again at later times', () => {
    const later = { next_cursor: null, next_start_ts: 200 };
    assert.equal(linkOf('?start_ts=100&end_ts=900&cursor=c1', later), to('start_ts=200&end_ts=900'));
  });

  it('keeps the window of a request without bounds, which would move', () => {
    assert.equal(linkOf('?step_ms=500', { next_cursor: 'c1' }), to('step_ms=500&cursor=c1&start_ts=100&end_ts=200'));
    assert.equal(linkOf('', { next_start_ts: 150 }), to('start_ts=150&end_ts=200'));
    assert.equal(linkOf('', { next_cursor: 'c1', start_ts: null, end_ts: null }), to('cursor=c1'));
  });

  it('has no end if the window was cut there', () => {
    assert.equal(linkOf('?period_s=1', { next_start_ts: 200 }), to('period_s=1&start_ts=200'));
    assert.equal(linkOf('?start_ts=100', { next_start_ts: 200 }), to('start_ts=200'));
  });

  it('is absent on the last page, and for a body', () => {
    assert.equal(linkOf('', { has_more: false, next_cursor: 'c1' }), undefined);
    assert.equal(linkOf('', { next_start_ts: null, next_cursor: null }), undefined);
    assert.equal(linkOf('?format=csv', { next_start_ts: 200 }, 'POST'), undefined);
  });
});
