import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { searchText, titleWord, wordsOf, wordsOfId } from './search-words.js';

describe('search words', () => {
  it('are letters and digits of any script, in lower case', () => {
    assert.deepEqual(wordsOf('Bitcoin up, or DOWN? 15-min: ÄRGER 東京'), [
      'bitcoin',
      'up',
      'or',
      'down',
      '15',
      'min',
      'ärger',
      '東京',
    ]);
    assert.deepEqual(wordsOf('*** ??'), []);
  });

  it('appear once each after a blank, so that prefixes can be found', () =>
    assert.equal(
      searchText({ id: 'KXBTC15M', title: null, texts: ['Bitcoin 15 min', null, 'Bitcoin'] }),
      ' bitcoin 15 min kxbtc15m btc15m btc 15m',
    ));

  it('of an id include its parts without the prefix of the venue and numbers with their unit, but no parts of a hash', () => {
    const words = (id: string) => [...new Set(wordsOfId(id))];
    assert.deepEqual(words('KXBTC15M'), ['kxbtc15m', 'btc15m', 'btc', '15m']);
    assert.deepEqual(words('KXETH-26FEB2417-T95999.99'), [
      'kxeth',
      'eth',
      '26feb2417',
      '26feb',
      '2417',
      't95999',
      '95999',
      '99',
    ]);
    assert.deepEqual(words('KX'), ['kx']);
    assert.deepEqual(words('will-kxbtc-rise'), ['will', 'kxbtc', 'rise']);
    const hash = '0x9f86d081884c7d659a2feaa0c55ad015';
    assert.deepEqual(words(hash), [hash]);
  });

  it('include one for the whole title, whatever its case and blanks, which no text contains', () => {
    const key = titleWord('Bitcoin week?');
    assert.equal(searchText({ id: 'B', title: 'Bitcoin week?', texts: [] }), ` bitcoin week b ${key}`);
    assert.equal(titleWord('  BITCOIN \n\tweek? '), key);
    assert.notEqual(titleWord('Bitcoin week'), key);
    assert.notDeepEqual(wordsOf(key), [key]);
  });
});
