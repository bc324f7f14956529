import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvOf } from './drawn-csv.js';

describe('the CSV of a chart', () => {
  it('has a row for each time in sight with a value, the digits of the values, and what it is', () => {
    const window = { from: 10, to: 30 };
    const price = {
      ts: [0, 10, 20, 30],
      series: { bid: [0.1, 0.0085, null, 0.3], 'a,"b"': [1, null, null, 4] },
      window,
    };
    const coin = { ts: [20, 30], series: { coin: [95_959.21, null] }, window };
    assert.equal(
      csvOf([price, coin], ['A title\nin two lines', 'source']),
      [
        '# A title in two lines',
        '# source',
        'ts,time,bid,"a,""b""",coin',
        '10,1970-01-01T00:00:10.000Z,0.0085,,',
        '20,1970-01-01T00:00:20.000Z,,,95959.21',
        '30,1970-01-01T00:00:30.000Z,0.3,4,',
        '',
      ].join('\n'),
    );
  });
});
