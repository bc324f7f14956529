import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CatalogueFact } from '@almanac/contracts';
import { rejectionReason } from './validate-fact.js';

const market = (fields: object): CatalogueFact => ({ kind: 'market', ticker: 'T', ...fields });

describe('validateFact', () => {
  it('accepts any id that fits a subject', () => {
    for (const ticker of ['T95999.99', 'a*b', 'a>b', "a'; DROP TABLE markets", 'é'.repeat(42), 'x'.repeat(255)]) {
      assert.equal(rejectionReason(market({ ticker, series: ticker, event_ticker: ticker })), null);
      assert.equal(rejectionReason({ kind: 'series', id: ticker }), null);
      assert.equal(rejectionReason({ kind: 'event', event_ticker: ticker, series: ticker }), null);
    }
  });

  it('refuses an id that does not, and names the field', () => {
    for (const id of ['x'.repeat(256), 'x'.repeat(4_000), 'é'.repeat(43), 'a\ud83d']) {
      assert.match(rejectionReason(market({ ticker: id })) ?? '', /^ticker /);
      assert.match(rejectionReason(market({ series: id })) ?? '', /^series /);
      assert.match(rejectionReason(market({ event_ticker: id })) ?? '', /^event_ticker /);
      assert.match(rejectionReason({ kind: 'series', id }) ?? '', /^id /);
      assert.match(rejectionReason({ kind: 'event', event_ticker: id }) ?? '', /^event_ticker /);
      assert.match(rejectionReason({ kind: 'event', event_ticker: 'E', series: id }) ?? '', /^series /);
    }
  });

  it('refuses a time outside 1970 to 2100 and a decimal that cannot be stored exactly', () => {
    assert.match(rejectionReason(market({ close_us: -1 })) ?? '', /^close_us /);
    assert.match(rejectionReason(market({ open_us: 4_102_444_800_000_001 })) ?? '', /^open_us /);
    assert.match(rejectionReason(market({ floor_strike: '0.123456789' })) ?? '', /^floor_strike /);
    assert.match(rejectionReason(market({ expiration_value: '12345678901' })) ?? '', /^expiration_value /);
    assert.equal(
      rejectionReason(market({ floor_strike: '-1234567890.12345678', close_us: 0, settlement_us: null })),
      null,
    );
  });

  it('refuses an observed price that cannot be stored exactly, and one at no valid time', () => {
    for (const field of ['open_price', 'last_price']) {
      for (const price of ['0.123456789', '12345678901']) {
        assert.match(
          rejectionReason(market({ [field]: { price, us: 1 } })) ?? '',
          new RegExp(`^${field}.price has more digits`),
        );
      }
      assert.match(rejectionReason(market({ [field]: { price: '1', us: -1 } })) ?? '', new RegExp(`^${field}.us `));
      assert.equal(rejectionReason(market({ [field]: { price: '65541.12345678', us: 1 } })), null);
      assert.equal(rejectionReason(market({ [field]: null })), null);
    }
  });
});
