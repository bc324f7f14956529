import assert from 'node:assert/strict';
import { test } from 'node:test';
import { categoryOf } from './category.js';
import { kalshiTickerTime, tickerTime } from './ticker-time.js';
import { titleOf } from './title.js';

test('one category has one slug, however a venue writes it', () => {
  const cases: Record<string, string> = {
    'Science and Technology': 'science-and-technology',
    'Science & Technology': 'science-and-technology',
    'Pop-Culture ': 'pop-culture',
    CRYPTO: 'crypto',
    Économie: 'economie',
    'US-current-affairs': 'us-current-affairs',
    政治: '政治',
  };
  for (const [label, slug] of Object.entries(cases))
    assert.deepEqual(categoryOf(label), { category: slug, category_label: label.trim() });
  assert.equal(categoryOf(' - '), null);
  assert.equal(categoryOf(null), null);
});

test('a title includes its subtitle when other markets share the title, and repeats nothing', () => {
  const cases: [string | null, string | null, string | null][] = [
    ['Bitcoin price today?', 'On Feb 24, 2025 at 6pm EST', 'Bitcoin price today? (On Feb 24, 2025 at 6pm EST)'],
    ['Core CPI above 3.3%?', 'Above 3.3', 'Core CPI above 3.3%?'],
    ['Will the **high temp in NYC** be >80°?', null, 'Will the high temp in NYC be >80°?'],
    ['Who  will win? ', ':: Democratic', 'Who will win? (Democratic)'],
    ['', 'Above 3.3', 'Above 3.3'],
    [null, ' ', null],
  ];
  for (const [title, sub, shown] of cases) assert.equal(titleOf(title, sub), shown);
});

test('a slug gives a time in seconds, and with a span the end of the span', () => {
  const at = (slug: string, pattern: string) => tickerTime(slug, new RegExp(pattern), 'America/New_York');
  assert.equal(at('btc-updown-5m-1777467000', '-(?<epoch>\\d{10})$'), 1_777_467_000_000_000);
  assert.equal(at('btc-updown-1h-1777467000', '-(?<plus>\\d+[mh])-(?<epoch>\\d{10})$'), 1_777_470_600_000_000);
  assert.equal(at('btc-updown-soon', '-(?<epoch>\\d{10})$'), null);
  assert.equal(at('KXBTC15M-26FEB242330-30', kalshiTickerTime), Date.UTC(2026, 1, 25, 4, 30) * 1000);
});
