import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Almanac } from './client.js';
import { json, stubServer } from './testing/stub-server.js';
import { asOfSeconds, isoSeconds, unixSeconds } from './times.js';

const seconds = 1_771_977_600;

describe('a time', () => {
  it('is an ISO text, in UTC without a zone, exact to the microsecond', () => {
    for (const text of ['2026-02-25', '2026-02-25T00:00', '2026-02-25T00:00:00Z', '2026-02-25T05:30:00+05:30'])
      assert.equal(isoSeconds(text), seconds, text);
    assert.equal(isoSeconds('2026-02-25T00:00:00.250001Z'), seconds + 0.250001);
    assert.equal(isoSeconds('2026-02-25T00:00:00.2500019'), seconds + 0.250001);
    for (const wrong of [
      'soon',
      '',
      '2026-13-01',
      '2026-02-30',
      '2026-02-25 00:00',
      '2026-02-25T00:00.5',
      '1771977600',
    ])
      assert.equal(isoSeconds(wrong), undefined, wrong);
  });

  it('is a Date or a number, and everything else is refused with its name', () => {
    assert.equal(unixSeconds(new Date(seconds * 1_000 + 5), 'start_ts'), seconds + 0.005);
    assert.equal(unixSeconds(1.5, 'start_ts'), 1.5);
    for (const wrong of ['soon', Number.NaN, new Date('x')])
      assert.throws(() => unixSeconds(wrong, 'start_ts'), /invalid_options: start_ts is /);
  });

  it('as of which a client reads has fractions, and is never later than what was given', () => {
    assert.equal(asOfSeconds(1_771_993_365.058297), 1_771_993_365.058297);
    assert.equal(asOfSeconds('2026-02-25T00:00:00.000001'), seconds + 0.000001);
    assert.equal(asOfSeconds(0.0000019), 0.000001);
    assert.throws(() => asOfSeconds(1_771_993_365_058), /milliseconds/);
  });

  it('is converted in queries, bodies and lists of a client', async () => {
    const server = await stubServer(json(200, { trades: [], snapshots: [], has_more: false }));
    try {
      const client = new Almanac({ apiKey: 'ak', baseUrl: server.url, as_of: '2026-02-25T00:00:00.5Z' });
      await client.markets
        .trades('T', { start_ts: '2026-02-25', end_ts: new Date(0), as_of: new Date(1_500) })
        .toArray();
      await client.markets.at({ tickers: ['T'], at_ts: ['2026-02-25', 5] });
      assert.equal(server.requests[0]?.url, `/api/v1/markets/T/trades?start_ts=${seconds}&end_ts=0&as_of=1.5`);
      assert.deepEqual(JSON.parse(server.requests[1]?.body ?? ''), {
        tickers: ['T'],
        at_ts: [seconds, 5],
        as_of: seconds + 0.5,
      });
    } finally {
      await server.close();
    }
  });
});
