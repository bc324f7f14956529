import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importFiles } from '../../import/testing/import-files.js';
import { kalshiFrame } from './kalshi-frames.js';

const ticker = 'INXD-23SEP14-B4487';
const created = {
  event_type: 'created',
  open_ts: 1_694_635_200,
  close_ts: 1_694_721_600,
  price_level_structure: 'linear_cent',
  additional_metadata: {
    name: 'S&P 500 daily return on Sep 14',
    title: 'S&P 500 closes up by 0.02% or more',
    yes_sub_title: 'S&P 500 closes up 0.02%+',
    rules_primary: 'The S&P 500 index level at 4:00 PM ET…',
    rules_secondary: '',
    can_close_early: true,
    event_ticker: 'INXD-23SEP14',
    strike_type: 'greater',
    floor_strike: 4487,
  },
};

const read = (us: number, msg: object) =>
  kalshiFrame(us, JSON.stringify({ type: 'market_lifecycle_v2', sid: 13, msg: { market_ticker: ticker, ...msg } }));

/** The values of a message with their knowledge times. */
const stated = (msg: object) => {
  const message = read(7, msg);
  assert.equal(message.kind, 'changed', JSON.stringify(message));
  const { fact } = message;
  return fact.kind === 'market' && fact.history;
};

const knownAt7 = (values: object) => [{ known_us: 7, basis: 'recorded', values }];

test('a created market has its terms and times, known from the receipt', () => {
  assert.deepEqual(
    stated(created),
    knownAt7({
      title: 'S&P 500 closes up by 0.02% or more (S&P 500 closes up 0.02%+)',
      venue_status: 'initialized',
      open_us: '1694635200000000',
      close_us: '1694721600000000',
      floor_strike: '4487',
      rules: 'The S&P 500 index level at 4:00 PM ET…',
      tick_size: '[["0","1","0.01"]]',
    }),
  );
});

test('each later event states what it changes, and nothing else', () => {
  assert.deepEqual(stated({ event_type: 'activated', is_deactivated: false }), knownAt7({ venue_status: 'active' }));
  assert.deepEqual(stated({ event_type: 'deactivated' }), knownAt7({ venue_status: 'inactive' }));
  const close = { event_type: 'close_date_updated', close_ts: 1_694_700_000 };
  assert.deepEqual(stated(close), knownAt7({ close_us: '1694700000000000' }));
  const determined = {
    event_type: 'determined',
    result: 'no',
    determination_ts: 1_694_722_000,
    settlement_value: '0.3700',
  };
  assert.deepEqual(
    stated(determined),
    knownAt7({ venue_status: 'determined', result: 'no', settlement_value: '0.37' }),
  );
  const settled = { event_type: 'settled', settled_ts: 1_694_725_200 };
  assert.deepEqual(stated(settled), knownAt7({ venue_status: 'finalized', settlement_us: '1694725200000000' }));
  const steps = { event_type: 'price_level_structure_updated', price_level_structure: 'deci_cent' };
  assert.deepEqual(stated(steps), knownAt7({ tick_size: '[["0","1","0.001"]]' }));
});

test('an event that states nothing is no change, and one without a market or with an invalid time is not stored', () => {
  assert.equal(
    read(7, { event_type: 'price_level_structure_updated', price_level_structure: 'tapered' }).kind,
    'activity',
  );
  assert.equal(read(7, { event_type: 'something_new' }).kind, 'activity');
  assert.equal(read(7, { event_type: 'close_date_updated', close_ts: 1e300 }).kind, 'activity');
  assert.equal(read(7, { market_ticker: '', event_type: 'activated' }).kind, 'refused');
});

test('events of a recording are in the history of their market, also without a book', async () => {
  const messages = [
    created,
    { event_type: 'activated' },
    { event_type: 'deactivated' },
    { event_type: 'determined', result: 'yes' },
  ];
  const lines = messages.map((msg, at) => {
    const frame = { type: 'market_lifecycle_v2', sid: 13, seq: at + 1, msg: { market_ticker: ticker, ...msg } };
    return JSON.stringify({ recv_ts_ns: 1_694_630_000_000_000_000 + at * 1_000_000_000, raw: JSON.stringify(frame) });
  });
  const { report, things, rows, spans } = await importFiles({ 'frames.jsonl': `${lines.join('\n')}\n` });
  assert.deepEqual([report.refusals, rows.size, spans.size], [0, 0, 0]);
  assert.deepEqual(report.messages, { applied: 0, other: 4, refused: 0, notApplied: 0 });
  const market = things.get(`market ${ticker}`);
  assert.deepEqual(
    [market?.['venue_status'], market?.['result'], market?.['capture']],
    ['determined', 'yes', undefined],
  );
  const history = market?.['history'];
  assert.ok(Array.isArray(history));
  assert.equal(history.length, 4);
});
