import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differenceFrom } from './documented-commands.js';

describe('the comparison of a shown answer', () => {
  const shown = '{"id":"GENBTC15M-26NOV201130-30","count":3,…,"bid":0.49,"ts":1795173358,…"more":false}';
  const actual =
    '{"id":"GENBTC15M-27JAN010015-15","count":3,"x":1,"bid":0.51,"ts":1795352400.5,"url":"http:…","more":false}';

  it('accepts other times, prices and tickers, and what is left out', () => {
    assert.equal(differenceFrom(shown, actual), null);
  });

  it('rejects another stable value, a missing or renamed field, another order and another type', () => {
    for (const [part, other] of [
      ['"count":3', '"count":4'],
      ['"more":false', '"more":true'],
      ['"bid":0.51,', ''],
      ['"bid":0.51', '"best_bid":0.51'],
      ['"bid":0.51', '"bid":"0.51"'],
      ['"bid":0.51,"ts":1795352400.5', '"ts":1795352400.5,"bid":0.51'],
      ['"ts":1795352400.5', '"ts":null'],
      ['{"id"', '{"a":1,"id"'],
      ['false}', 'false,"z":1}'],
    ] as const) {
      assert.notEqual(differenceFrom(shown, actual.replace(part, other)), null, other);
    }
  });
});
