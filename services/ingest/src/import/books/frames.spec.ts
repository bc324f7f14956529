import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFiles, type TestImport } from '../testing/import-files.js';

interface Numbered {
  readonly at: number;
  readonly seq: number;
  readonly ticker?: string;
  readonly snapshot?: boolean;
}

const startS = 1_786_399_200;

const kalshi = ({ seq, ticker = 'KXA-26AUG10-A', snapshot = false, at }: Numbered): object =>
  snapshot
    ? { type: 'orderbook_snapshot', sid: 1, seq, msg: { market_ticker: ticker, yes_dollars_fp: [['0.4000', '10.00']] } }
    : {
        type: 'orderbook_delta',
        sid: 1,
        seq,
        msg: { market_ticker: ticker, price_dollars: '0.41', delta_fp: '1', side: 'yes', ts_ms: (startS + at) * 1_000 },
      };
const own = (message: Numbered): string =>
  JSON.stringify({ recv_ts_ns: (startS + message.at) * 1e9, raw: JSON.stringify(kalshi(message)) });
const file = (messages: readonly Numbered[]): string => messages.map(own).join('\n');

const imported = async (files: Readonly<Record<string, string>>, options?: TestImport) => {
  const { spans, rows, reports } = await importFiles(files, options);
  return {
    spans: Array.from(spans.values(), ({ ticker, start_us, end_us, basis, clock }) => [
      ticker.slice(-1),
      start_us / 1e6 - startS,
      end_us / 1e6 - startS,
      basis,
      clock,
    ]),
    rows: rows.size,
    applied: reports.map(({ messages }) => messages?.applied),
    reports,
  };
};

describe('the numbers of a subscription that many markets share', () => {
  const one = Array.from({ length: 30 }, (_, at) => ({ at, seq: 101 + at * 3, snapshot: at === 0 }));

  it('jump in the file of one market without a loss', async () => {
    const { spans, rows } = await imported({ 'a.jsonl': file(one) });
    assert.deepEqual([spans, rows], [[['A', 0, 29, 'silence', 'receipt']], 30]);
  });

  it('are one sequence over the files of all its markets, where a missing number is a loss', async () => {
    const markets = ['A', 'B', 'C'].map((name, place) =>
      Array.from({ length: 30 }, (_, at) => {
        const seq = 101 + at * 3 + place;
        return { at: at + place / 4, seq, snapshot: at === 0 || at === 25, ticker: `KXA-26AUG10-${name}` };
      }),
    );
    const [a = [], b = [], c = []] = markets;
    const whole = await imported({ 'a.jsonl': file(a), 'b.jsonl': file(b), 'c.jsonl': file(c) });
    assert.deepEqual(whole.spans, [
      ['A', 0, 29, 'sequence', 'receipt'],
      ['B', 0.25, 29.25, 'sequence', 'receipt'],
      ['C', 0.5, 29.5, 'sequence', 'receipt'],
    ]);
    const cut = await imported({
      'a.jsonl': file(a),
      'b.jsonl': file(b.filter(({ at }) => at !== 10.25)),
      'c.jsonl': file(c),
    });
    assert.deepEqual(
      cut.spans.filter(([ticker]) => ticker === 'B'),
      [
        ['B', 0.25, 9.25, 'sequence', 'receipt'],
        ['B', 25.25, 29.25, 'sequence', 'receipt'],
      ],
    );
  });

  it('are read as the command line says', async () => {
    const market = await imported({ 'a.jsonl': file(one) }, { sequence: 'market' });
    assert.deepEqual([market.spans, market.rows], [[['A', 0, 0, 'sequence', 'receipt']], 1]);
    const dense = Array.from({ length: 30 }, (_, at) => ({ at, seq: 1 + at + (at > 20 ? 1 : 0), snapshot: at === 0 }));
    assert.equal((await imported({ 'a.jsonl': file(dense) })).rows, 21);
    assert.equal((await imported({ 'a.jsonl': file(dense) }, { sequence: 'shared' })).rows, 30);
    assert.equal((await imported({ 'a.jsonl': file(dense) }, { sequence: 'none' })).rows, 30);
  });

  it('go on in the next file of a market, whatever the order of the names', async () => {
    const days = { 'z.jsonl': file(one.slice(0, 20)), 'a.jsonl': file(one.slice(20)) };
    for (const sampleUs of [1, 1_000_000]) {
      const { spans, rows, applied } = await imported(days, { sampleUs });
      const whole = await imported({ 'a.jsonl': file(one) }, { sampleUs });
      assert.deepEqual([spans, rows, applied], [whole.spans, whole.rows, [20, 10]]);
    }
  });
});

describe('frames in the envelope of another recorder', () => {
  const messages: readonly Numbered[] = [
    { at: 1, seq: 1, snapshot: true },
    { at: 2, seq: 2 },
  ];
  const wraps: Readonly<Record<string, (frame: object, us: number) => object>> = {
    'recv_ms, event': (event, us) => ({ recv_ms: us / 1_000, event }),
    't, m': (frame, us) => ({ t: us / 1e6, m: JSON.stringify(frame) }),
    'receive_time, raw': (raw, us) => ({ receive_time: us / 1_000, raw }),
    'ts, data': (data, us) => ({ ts: new Date(us / 1_000).toISOString(), data }),
    'recv_ts_ns, raw as an object': (raw, us) => ({ recv_ts_ns: us * 1_000, raw }),
    'any other names': (payload, us) => ({ id: 7, captured: us, source: 'ws', payload: JSON.stringify(payload) }),
  };
  for (const [name, wrap] of Object.entries(wraps))
    it(`is read: ${name}`, async () => {
      const lines = messages.map((message) => JSON.stringify(wrap(kalshi(message), (startS + message.at) * 1e6)));
      const { spans, rows } = await imported({ 'frames.jsonl': lines.join('\n') });
      assert.deepEqual([spans, rows], [[['A', 1, 2, 'sequence', 'receipt']], 2]);
      const document = await imported({ 'frames.json': `[${lines.join(',\n')}]` });
      assert.deepEqual([document.spans, document.rows], [spans, rows]);
    });

  it('without a receipt has the time of the venue, and the span says so', async () => {
    const bare = messages.map((message) => JSON.stringify(kalshi(message))).join('\n');
    const { spans, rows } = await imported({ 'frames.jsonl': bare });
    // The snapshot has no time. It was sent before the change.
    assert.deepEqual([spans, rows], [[['A', 2, 2, 'sequence', 'venue']], 1]);
  });
});
