import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importText, mappingRefusal } from '../testing/import-files.js';
import type { MemoryArchive } from '../testing/memory-archive.js';

const mapping = `
name: books
format: jsonl
match: { columns: [market, seen] }
cadence: { every: 2s }
fields:
  ticker: { column: market }
  ts: { column: seen, unit: s }
  yes_bids: { column: book.bids }
  yes_asks: { column: book.asks, price: p, size: q }
`;
const options = { name: 'books.jsonl' };
const second = 1_768_230_020;
const line = (at: number, bids: unknown, asks: unknown, more: object = {}): string =>
  JSON.stringify({ market: 'M', seen: second + at, book: { bids, asks }, ...more });

const booksOf = ({ rows }: Pick<MemoryArchive, 'rows'>) =>
  Array.from(rows.values(), ({ ts, bid, ask, book }) => [Number(ts) - second, bid, ask, book?.yes, book?.no]);

describe('a file of one book a line', () => {
  it('gives each book with its best prices, from lists and from objects', async () => {
    const lines = [
      line(
        0,
        [
          ['0.4', '100.50'],
          [0.41, 5],
        ],
        [{ p: 0.6, q: 7 }],
      ),
      line(2, [], [{ p: '0.9', q: '0' }]),
      line(60, null, [{ p: 0.6, q: 1 }]),
    ];
    const result = await importText(mapping, lines, { ...options, times: 2 });
    assert.deepEqual(booksOf(result), [
      [0, '0.41', '0.6', '[(0.41,5),(0.4,100.5)]', '[(0.4,7)]'],
      [2, null, null, '[]', '[]'],
      [60, null, '0.6', '[]', '[(0.4,1)]'],
    ]);
    const { error, refusals, observationsStored, messages } = result.report;
    assert.deepEqual(
      { error, refusals, observationsStored, messages },
      { error: null, refusals: 0, observationsStored: 3, messages: null },
    );
    assert.deepEqual(
      Array.from(result.spans.values(), (span) => [span.layer, span.end_us - span.start_us, span.sample_us]),
      [
        ['l2', 2_000_000, null],
        ['l2', 0, null],
      ],
    );
    assert.partialDeepStrictEqual(result.things.get('market M'), { capture: 'l2' });
  });

  it('refuses what is no book, with the line, and stores the others', async () => {
    const good = line(9, [[0.4, 1]], []);
    const faults: readonly [string, string][] = [
      [line(1, 'soon', []), 'yes_bids: not a list of levels'],
      [line(2, [[0, 1]], []), 'yes_bids: price: not between 0 and 1'],
      [line(3, [], [{ p: 0.5 }]), 'yes_asks: size: not a number from 0'],
      [
        line(
          4,
          [
            [0.4, 1],
            [0.4, 2],
          ],
          [],
        ),
        'the book has a price twice on one side',
      ],
      [line(5, null, null), 'no book'],
      [line(1_768_228_251_980, [[0.4, 1]], []), 'ts: not a time from 1980 to 2100 in the unit s of the mapping'],
      [good.slice(0, 30), 'not JSON'],
    ];
    const result = await importText(mapping, [good, ...faults.map(([text]) => text)], options);
    assert.deepEqual(result.report.refused, new Map(faults.map(([, reason]) => [reason, 1])));
    assert.equal(result.rows.size, 1);
    const { observationsRead, observationsStored, observationsRefused, rowsRead } = result.report;
    assert.deepEqual([rowsRead, observationsRead, observationsStored, observationsRefused], [8, 1, 1, 7]);
  });

  it('takes an absent side for an empty one only where the mapping says so', async () => {
    const empty = mapping.replace(/(book\.\w+)/g, '$1, absent: empty');
    const result = await importText(empty, [line(0, null, null), line(1, [[0.4, 1]], null)], options);
    assert.deepEqual(booksOf(result), [
      [0, null, null, '[]', '[]'],
      [1, '0.4', null, '[(0.4,1)]', '[]'],
    ]);
  });

  it('turns the book of the second outcome', async () => {
    const outcomes = mapping.replace(
      'yes_bids',
      "outcome: { column: token, values: { a: 'yes', b: 'no' } }\n  yes_bids",
    );
    const lines = [
      line(0, [[0.4, 1]], [{ p: 0.5, q: 2 }], { token: 'a' }),
      line(1, [[0.5, 2]], [{ p: 0.6, q: 1 }], { token: 'b' }),
      line(2, [[0.5, 2]], [], { token: 'c' }),
    ];
    const result = await importText(outcomes, lines, options);
    const [first, other] = booksOf(result);
    assert.deepEqual(other?.slice(1), first?.slice(1));
    assert.deepEqual(result.report.refused, new Map([['outcome: neither yes nor no', 1]]));
  });

  it('reads cents, and the bids of both sides', async () => {
    const cents = mapping
      .replace('yes_asks: { column: book.asks, price: p, size: q }', 'no_bids: { column: book.asks, unit: cents }')
      .replace('book.bids }', 'book.bids, unit: cents }');
    const result = await importText(cents, [line(0, [[40, 1]], [[55, 2]])], options);
    assert.deepEqual(booksOf(result), [[0, '0.4', '0.45', '[(0.4,1)]', '[(0.55,2)]']]);
  });
});

it('a mapping of books that mixes them with best prices, or has no time, is refused with the line', () => {
  assert.match(mappingRefusal('  yes_bids: { column: b }'), /fields\.ts is missing/);
  assert.match(
    mappingRefusal('  ts: { column: a, unit: s }', '  yes_bids: { column: b }', '  yes_best_bid: { column: c }'),
    /line 8: fields\.yes_best_bid is not for whole books/,
  );
});
