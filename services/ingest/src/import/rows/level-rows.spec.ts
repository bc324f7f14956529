import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importText, mappingRefusal } from '../testing/import-files.js';
import type { MemoryArchive } from '../testing/memory-archive.js';

const mapping = `
name: levels
format: csv
match: { columns: [market, event, px] }
fields:
  ticker: { column: market }
  ts: { column: seen, unit: ms }
  venue_ts: { column: at, unit: us }
  book_event: { column: event, values: { book: snapshot, set: level, delta: change, hello: other } }
  message: { column: id }
  side: { column: side, values: { B: bid, S: ask } }
  price: { column: px, unit: cents }
  size: { column: qty }
`;
const header = 'market,event,id,side,px,qty,seen,at';
const t0 = 1_768_230_020_000;
const row = (event: string, id: string, level: string, { at = 0, market = 'M' } = {}): string =>
  `${market},${event},${id},${level},${t0 + at},${t0 + at}000`;

const booksOf = ({ rows }: Pick<MemoryArchive, 'rows'>, market = 'M') =>
  Array.from(rows.values())
    .filter(({ ticker }) => ticker === market)
    .map(({ ts, bid, ask, book }) => [Math.round(Number(ts) * 1_000) - t0, bid, ask, book?.yes, book?.no]);
const spansOf = ({ spans }: Pick<MemoryArchive, 'spans'>) =>
  Array.from(spans.values(), ({ ticker, start_us: start, end_us: end, end_reason: why }) => [
    ticker,
    start / 1_000 - t0,
    end / 1_000 - t0,
    why,
  ]);

const opening = [row('book', '1', 'B,40,100'), row('book', '1', 'B,39.5,7'), row('book', '1', 'S,45,50')];

describe('a file of one line a level', () => {
  it('gives the book after each message: whole books, new sizes and differences', async () => {
    const lines = [
      header,
      row('hello', '0', 'B,1,1'),
      ...opening,
      row('set', '2', 'B,40,0', { at: 5 }),
      row('set', '2', 'S,44,3', { at: 5 }),
      row('delta', '3', 'S,44,-1.5', { at: 9 }),
    ];
    const result = await importText(mapping, lines);
    assert.deepEqual(booksOf(result), [
      [0, '0.4', '0.45', '[(0.4,100),(0.395,7)]', '[(0.55,50)]'],
      [5, '0.395', '0.44', '[(0.395,7)]', '[(0.56,3),(0.55,50)]'],
      [9, '0.395', '0.44', '[(0.395,7)]', '[(0.56,1.5),(0.55,50)]'],
    ]);
    const { messages, books, error, refusals, mapping: name } = result.report;
    assert.deepEqual({ error, refusals, name }, { error: null, refusals: 0, name: 'levels' });
    assert.deepEqual(messages, { applied: 3, other: 2, refused: 0, notApplied: 0 });
    assert.partialDeepStrictEqual(books, { snapshots: 1, changes: 3, gaps: 0 });
    assert.deepEqual(spansOf(result), [['M', 0, 9, 'the recording ended']]);
    assert.partialDeepStrictEqual(result.things.get('market M'), { kind: 'market', capture: 'l2' });
    assert.equal(result.rows.get('M 1768230020.005000')?.venueTs, '1768230020.005000');
  });

  it('is stored once, however often it is imported', async () => {
    const lines = [header, ...opening, row('set', '2', 'B,40,0', { at: 5 })];
    const [once, twice] = [await importText(mapping, lines), await importText(mapping, lines, { times: 2 })];
    assert.deepEqual([...twice.rows], [...once.rows]);
    assert.deepEqual([...twice.spans], [...once.spans]);
    assert.deepEqual([...twice.things], [...once.things]);
  });

  it('may be sorted by market instead of by time', async () => {
    const markets = ['M', 'N'].flatMap((market) => [
      row('book', '1', 'B,40,100', { market }),
      row('set', '2', 'B,41,5', { at: 5, market }),
    ]);
    const result = await importText(mapping, [header, ...markets]);
    assert.deepEqual(booksOf(result, 'N'), booksOf(result, 'M'));
    assert.equal(result.rows.size, 4);
    assert.deepEqual(
      spansOf(result).map(([ticker, start, end]) => [ticker, start, end]),
      [
        ['M', 0, 5],
        ['N', 0, 5],
      ],
    );
  });

  const bad: readonly [string, string, string][] = [
    ['a price above 1', row('set', '2', 'B,101,5', { at: 3 }), 'price: not between 0 and 1'],
    ['a price that is none', row('set', '2', 'B,high,5', { at: 3 }), 'price: not between 0 and 1'],
    ['a negative size', row('set', '2', 'B,40,-5', { at: 3 }), 'size: not a number from 0'],
    ['an unknown side', row('set', '2', 'X,40,5', { at: 3 }), 'side: neither bid nor ask, nor yes nor no'],
    [
      'an unknown event',
      row('gone', '2', 'B,40,5', { at: 3 }),
      'book_event: neither snapshot, level, change nor other',
    ],
    ['no time', 'M,set,2,B,40,5,,', 'no time'],
    [
      'a time of another unit',
      `M,set,2,B,40,5,${t0}000,`,
      'ts: not a time from 1980 to 2100 in the unit ms of the mapping',
    ],
    ['a size below zero', row('delta', '2', 'B,40,-500', { at: 3 }), 'the size of a level would be negative'],
  ];
  /** Rows that may be a part of the message before them. */
  const headless = new Set(['an unknown event', 'no time', 'a time of another unit']);
  for (const [what, line, reason] of bad)
    it(`makes the book uncertain after ${what}, until the next whole book, and states the line`, async () => {
      const again = [row('book', '8', 'B,30,1', { at: 20 })];
      const before = row('set', '1', 'B,41,5', { at: 1 });
      const isHeadless = headless.has(what);
      const lines = [header, ...opening, before, line, row('set', '3', 'B,42,5', { at: 9 }), ...again];
      const result = await importText(mapping, lines);
      const incomplete = isHeadless ? ([['a row of the message cannot be read', 1]] as const) : [];
      assert.deepEqual(result.report.refused, new Map<string, number>([...incomplete, [reason, 1]]));
      assert.deepEqual(
        booksOf(result).map(([at]) => at),
        isHeadless ? [0, 20] : [0, 1, 20],
      );
      assert.deepEqual(spansOf(result), [
        isHeadless ? ['M', 0, 0, incomplete[0]?.[0]] : ['M', 0, 1, reason],
        ['M', 20, 20, 'the recording ended'],
      ]);
      assert.equal(result.report.numbering, 'line');
    });

  it('leaves out a whole book that a broken line may belong to, and every book until the next one', async () => {
    const broken = 'M,book,1,B,39.5';
    const again = row('book', '8', 'B,30,1', { at: 20 });
    for (const first of [
      [broken, ...opening],
      [...opening.slice(0, 1), broken, ...opening.slice(1)],
    ]) {
      const result = await importText(mapping, [header, ...first, again]);
      assert.deepEqual(
        booksOf(result).map(([at]) => at),
        [20],
      );
      assert.equal(result.report.refused.get('the number of columns differs from the header'), 1);
      assert.ok(result.report.refused.has('a row of the message cannot be read'));
    }
  });

  it('leaves out a whole book if the head of one of its lines cannot be read', async () => {
    const again = row('book', '8', 'B,30,1', { at: 20 });
    const lines = [header, ...opening.slice(0, 1), 'M,book,1,B,39.5,7,,', ...opening.slice(1), again];
    const result = await importText(mapping, lines);
    assert.deepEqual(
      booksOf(result).map(([at]) => at),
      [20],
    );
    assert.deepEqual(
      result.report.refused,
      new Map([
        ['a row of the message cannot be read', 2],
        ['no time', 1],
      ]),
    );
  });

  it('of requested books gives each as a row, and claims nothing about the time between them', async () => {
    const polled = mapping.replace(/book_event: .*/, 'book_event: { constant: snapshot }');
    const books = [0, 5, 900].map((at) => row('', String(at), 'B,40,100', { at }));
    const broken = row('', '7', 'B,400,100', { at: 7 });
    const result = await importText(polled, [header, ...books.slice(0, 2), broken, ...books.slice(2)], {
      sampleUs: 60_000_000,
    });
    assert.deepEqual(
      booksOf(result).map(([at, bid]) => [at, bid]),
      [0, 5, 900].map((at) => [at, '0.4']),
    );
    assert.equal(result.spans.size, 0);
    assert.deepEqual(result.report.messages, { applied: 3, other: 1, refused: 1, notApplied: 0 });
    assert.partialDeepStrictEqual(result.report.books, { snapshots: 3, gaps: 0 });
  });

  it('reads one of two outcomes that show the same orders, the one that is named first', async () => {
    const outcomes = mapping.replace('side:', "outcome: { column: token, first: 'no' }\n  side:");
    const withToken = (line: string, token: string): string => `${line},${token}`;
    const lines = [
      withToken(header, 'token'),
      withToken(row('book', '1', 'B,40,100'), 'up'),
      withToken(row('book', '1', 'S,60,100'), 'down'),
      withToken(row('delta', '2', 'B,40,-30', { at: 5 }), 'up'),
      withToken(row('delta', '2', 'S,60,-30', { at: 5 }), 'down'),
    ];
    assert.deepEqual(booksOf(await importText(outcomes, lines)), [
      [0, null, '0.6', '[]', '[(0.4,100)]'],
      [5, null, '0.6', '[]', '[(0.4,70)]'],
    ]);
    const named = outcomes.replace("first: 'no'", "values: { up: 'yes', down: 'no' }");
    assert.deepEqual(booksOf(await importText(named, lines))[1], [5, '0.4', null, '[(0.4,70)]', '[]']);
  });

  it('finds a gap where the number of a message is missing', async () => {
    const numbered = mapping.replace('side:', 'seq: { column: n, within: market }\n  side:');
    const lines = [
      `${header},n`,
      ...opening.map((line) => `${line},1`),
      `${row('set', '2', 'B,41,5', { at: 5 })},2`,
      `${row('set', '3', 'B,42,5', { at: 9 })},4`,
    ];
    const result = await importText(numbered, lines);
    assert.deepEqual(spansOf(result), [['M', 0, 5, 'messages are missing in the sequence']]);
    assert.equal(result.rows.get('M 1768230020.005000')?.seq, '2');
    assert.equal(result.rows.size, 2);
  });

  it('refuses with --exact what would lose digits', async () => {
    const lines = [header, ...opening, row('set', '2', 'B,40.00001234,5', { at: 3 })];
    const { report } = await importText(mapping, lines, { exact: true });
    assert.deepEqual(report.refused, new Map([['price: would be rounded to 6 decimals (--exact)', 1]]));
    assert.equal((await importText(mapping, lines)).report.altered.get('price: rounded to 6 decimals'), 1);
  });
});

it('a mapping of levels that misses a field, or mixes it with others, is refused with the line', () => {
  assert.match(
    mappingRefusal('  book_event: { column: b }'),
    /fields\.ts is missing\n.*fields\.side is missing\n.*fields\.price is missing\n.*fields\.size is missing/s,
  );
  const all = [
    '  ts: { column: a, unit: ms }',
    '  book_event: { constant: level }',
    '  side: { column: b }',
    '  price: { column: c }',
    '  size: { column: d }',
  ];
  assert.equal(mappingRefusal(...all), '');
  assert.match(mappingRefusal(...all, '  yes_best_bid: { column: e }'), /line 11: .*is not for levels of books/);
  assert.match(mappingRefusal(...all, '  seq: { column: e }'), /fields\.seq\.within is missing/);
  assert.match(mappingRefusal('  side: { column: b }'), /fields\.side needs the field book_event/);
  assert.match(mappingRefusal(...all, 'cadence: { every: 2s }'), /cadence is not for levels of books/);
});
