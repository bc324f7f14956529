import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ExportQuery, ExportStream } from '@almanac/contracts';
import { eventually, seededRandom } from '@almanac/testing';
import { writeFile } from '../files/write-file.js';
import {
  type Archive,
  startArchive,
  storeMarkets,
  storeObservations,
  storeSpans,
  storeTrades,
} from '../testing/archive.js';
import { type EngineEvent, readNpz } from '../testing/npz-reader.js';
import { queryOf } from '../testing/queries.js';
import { startStore, type StoreFixture } from '../testing/store.js';

const [event, market, other, late] = ['E', 'E-30', 'E-45', 'F-30'] as const;
const startUs = 1_771_993_365_000_000;
const seconds = (us: number): string => (us / 1e6).toFixed(6);

type Level = readonly [price: number, size: number];
interface Book {
  readonly us: number;
  readonly yes: readonly Level[];
  readonly no: readonly Level[];
}

/** Bids of YES by price, and asks of YES. */
interface State {
  readonly bid: Map<number, number>;
  readonly ask: Map<number, number>;
}
const emptyState = (): State => ({ bid: new Map(), ask: new Map() });
const apply = (side: Map<number, number>, price: number, size: number): void => {
  if (size === 0) side.delete(price);
  else side.set(price, size);
};
const rounded = (price: number): number => Math.round(price * 1e6) / 1e6;
const stateOf = ({ yes, no }: Book): State => ({
  bid: new Map(yes),
  ask: new Map(no.map(([price, size]) => [rounded(1 - price), size])),
});
const inOrder = ({ bid, ask }: State): object => ({
  bid: [...bid].toSorted(([a], [b]) => a - b),
  ask: [...ask].toSorted(([a], [b]) => a - b),
});

/** Books that change a little from one to the next, some of them empty. */
const randomBooks = (count: number, seed: number): Book[] => {
  const random = seededRandom(seed);
  const below = (most: number): number => Math.floor(random() * most);
  let levels = new Map<number, number>();
  return Array.from({ length: count }, (_, index) => {
    if (below(12) === 0) levels = new Map();
    for (let change = below(4); change > 0; change -= 1) {
      const cents = 1 + below(99);
      if (below(3) === 0) levels.delete(cents);
      else levels.set(cents, (1 + below(900)) / 10);
    }
    const side = (isYes: boolean): Level[] =>
      [...levels]
        .filter(([cents]) => cents <= 50 === isYes)
        .map(([cents, size]): Level => [(isYes ? cents : 100 - cents) / 100, size])
        .toSorted(([a], [b]) => b - a);
    return { us: startUs + index * 1_000_000 + below(900_000), yes: side(true), no: side(false) };
  });
};

const books = randomBooks(160, 4711);
/** The recording began again before this book, which lacks levels of the one before. */
const afterGap = books.findIndex(({ yes, no }, index) => {
  const now = new Set([...yes, ...no].map(([price]) => price));
  const earlier = books[index - 1];
  return (
    index > 50 && now.size > 0 && [...(earlier?.yes ?? []), ...(earlier?.no ?? [])].some(([price]) => !now.has(price))
  );
});
const bookSize = (book: Book | undefined): number => (book?.yes.length ?? 0) + (book?.no.length ?? 0);
/** The books that no earlier one leads to: after none, after an empty one, or after the gap. */
const wholeBooks = books.filter((book, index) => {
  const isAfterNothing = bookSize(books[index - 1]) === 0 || index === afterGap;
  return bookSize(book) > 0 && isAfterNothing;
});
const timesOfTrades = [3, 3, afterGap, 150].map((index) => (books[index]?.us ?? 0) + 1);

describe('a file for a backtest engine', () => {
  let archive: Archive;
  let store: StoreFixture;
  before(async () => {
    [archive, store] = await Promise.all([startArchive(), startStore()]);
    const life = { event_ticker: event, series: 'S', open_us: startUs, close_us: startUs + 900e6 };
    await storeMarkets(archive, [
      { ...life, ticker: market, seq: 1 },
      { ...life, ticker: other, seq: 2 },
      { ...life, event_ticker: 'F', ticker: late, seq: 3 },
    ]);
    // The venue's clock is sometimes ahead, and sometimes goes back.
    const rowOf = ({ us, yes, no }: Book, index: number) => ({
      ticker: market,
      ts: seconds(us),
      venue_ts: index % 5 === 0 ? null : seconds(us + ((index * 37) % 11) * 100_000 - 800_000),
      has_book: true,
      orderbook_yes: yes,
      orderbook_no: no,
    });
    await storeObservations(archive, books.map(rowOf));
    const quote = { ticker: market, ts: seconds(startUs + 500), has_book: false, yes_best_bid: 0.5 };
    await storeObservations(archive, [quote, { ...rowOf(books[7] ?? never(), 7), ticker: other }]);
    const span = { ticker: market, layer: 'l2', tolerance_us: 0, end_reason: null };
    await storeSpans(archive, [
      { ...span, start_us: startUs, end_us: books[afterGap - 1]?.us },
      { ...span, start_us: (books[afterGap]?.us ?? 0) - 10, end_us: startUs + 900e6 },
      { ...span, layer: 'top', start_us: (books[40]?.us ?? 0) - 10, end_us: startUs + 900e6 },
    ]);
    await storeTrades(
      archive,
      timesOfTrades.map((us, index) => ({
        ticker: market,
        series: 'S',
        trade_id: `t${index}`,
        venue_ts: seconds(us - 200_000),
        received_ts: seconds(us),
        price: '0.06',
        size: '93.51',
        taker_side: ['yes', 'no', null, 'yes'][index],
      })),
    );
  });
  after(() => Promise.all([archive.stop(), store.stop()]));

  const write = async (query: ExportQuery): Promise<{ body: Buffer; rows: number; ofMarkets: (number | null)[] }> => {
    const { file, manifest } = await writeFile(
      { clickhouse: archive.clickhouse, objects: store.objects, versionsOf: () => Promise.resolve([]) },
      { key: 'a'.repeat(64), exportQuery: query, requested_us: 1 },
      { signal: AbortSignal.timeout(120_000) },
    );
    const link = { expiresInS: 60, filename: 'x', contentType: 'text/plain', public: false };
    const url = await store.objects.presignGet(file.storage_key, link);
    const body = Buffer.from(await (await fetch(url)).arrayBuffer());
    return { body, rows: file.row_count, ofMarkets: manifest.markets.map(({ rows }) => rows) };
  };
  const tardis = async (streams: ExportStream[], target: Partial<ExportQuery>) => {
    const { body, rows, ofMarkets } = await write(queryOf({ ...target, streams, format: 'tardis_csv' }));
    const [header, ...lines] = body.toString().trimEnd().split('\n').map(fieldsOf);
    assert.equal(lines.length, rows);
    return { header, lines, ofMarkets };
  };

  it('of Tardis has the changes of the book, which rebuild each book exactly', async () => {
    const { header, lines } = await tardis(['l2'], { ticker: market });
    assert.deepEqual(header, 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount'.split(','));
    const messages = Map.groupBy(lines, ([, , , local]) => Number(local));
    let state = emptyState();
    let wasWhole = false;
    for (const book of books) {
      for (const [exchange, symbol, , , isWhole, side, price, amount] of messages.get(book.us) ?? []) {
        assert.deepEqual([exchange, symbol], ['almanac', market]);
        if (isWhole === 'true' && !wasWhole) state = emptyState();
        wasWhole = isWhole === 'true';
        apply(side === 'bid' ? state.bid : state.ask, Number(price), Number(amount));
      }
      wasWhole = false;
      assert.deepEqual(inOrder(state), inOrder(stateOf(book)), `the book at ${book.us}`);
    }
    const wholes = [...messages].filter(([, rows]) => rows[0]?.[4] === 'true').map(([us]) => us);
    assert.deepEqual(
      wholes,
      wholeBooks.map(({ us }) => us),
    );
    assert.ok(wholes.length > 2, 'some books follow an empty one');
  });

  it('of a recording that begins with an empty book has a whole book first', async () => {
    const row = { ticker: late, has_book: true, orderbook_no: [] };
    await storeObservations(archive, [
      { ...row, ts: seconds(startUs + 1e6), orderbook_yes: [] },
      { ...row, ts: seconds(startUs + 2e6), orderbook_yes: [[0.4, 1]] },
      { ...row, ts: seconds(startUs + 3e6), orderbook_yes: [[0.4, 2]] },
    ]);
    const { lines } = await tardis(['l2'], { ticker: late });
    assert.deepEqual(
      lines.map(([, , , , isWhole, , , amount]) => [isWhole, amount]),
      [
        ['true', '1'],
        ['false', '2'],
      ],
    );
    const { body } = await write(queryOf({ ticker: late, streams: ['l2'], format: 'hftbacktest' }));
    const kinds = (await readNpz(body)).map(({ kind }) => kind);
    assert.deepEqual(kinds, [clear, clear, 4, 1]);
  });

  it('of Tardis has several markets by time, without a row for a market without books', async () => {
    const { lines, ofMarkets } = await tardis(['l2'], { event });
    assert.deepEqual(ofMarkets, [lines.length - bookSize(books[7]), bookSize(books[7])]);
    const times = lines.map(([, , , local]) => Number(local));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    const { lines: trades } = await tardis(['trades'], { ticker: other });
    assert.deepEqual(trades, []);
  });

  it('of Tardis has trades with the side of the taker', async () => {
    const { header, lines } = await tardis(['trades'], { event });
    assert.deepEqual(header, 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount'.split(','));
    const expected = timesOfTrades.map((us, index) => {
      const side = ['buy', 'sell', 'unknown', 'buy'][index] ?? '';
      return ['almanac', market, String(us - 200_000), String(us), `t${index}`, side, '0.06', '93.51'];
    });
    assert.deepEqual(lines, expected);
  });

  it('of hftbacktest rebuilds each book, with both clocks that never go back', async () => {
    const { body, rows } = await write(queryOf({ ticker: market, streams: ['l2', 'trades'], format: 'hftbacktest' }));
    const events = await readNpz(body);
    assert.equal(events.length, rows);
    assertClocks(events);
    const messages = Map.groupBy(events, ({ local_ts }) => Number(local_ts / 1_000n));
    let state = emptyState();
    for (const book of books) {
      for (const { kind, isBuy, px, qty } of messages.get(book.us) ?? []) {
        if (kind === clear) state = isBuy ? { ...state, bid: new Map() } : { ...state, ask: new Map() };
        else apply(isBuy ? state.bid : state.ask, px, qty);
      }
      assert.deepEqual(inOrder(state), inOrder(stateOf(book)), `the book at ${book.us}`);
    }
    const trades = events.filter(({ kind }) => kind === trade);
    assert.deepEqual(
      trades.map(({ local_ts, px, qty, isBuy, isSell }) => [Number(local_ts / 1_000n), px, qty, isBuy, isSell]),
      timesOfTrades.map((us, index) => [us, 0.06, 93.51, index % 3 === 0, index === 1]),
    );
    assert.equal(events.filter(({ kind }) => kind === clear).length, 2 * wholeBooks.length);
  });

  it('of hftbacktest has the same bytes again, and an empty array without events', async () => {
    const query = queryOf({ ticker: market, streams: ['l2'], format: 'hftbacktest' });
    assert.ok((await write(query)).body.equals((await write(query)).body));
    const empty = await write(queryOf({ ticker: other, streams: ['trades'], format: 'hftbacktest' }));
    assert.deepEqual([await readNpz(empty.body), empty.rows], [[], 0]);
  });

  it('of hftbacktest ends with the rows that were counted while a capture adds more', async () => {
    const row = { ticker: other, has_book: true, orderbook_yes: [[0.4, 1]], orderbook_no: [] };
    let [added, over] = [0, false];
    const capture = async (): Promise<void> => {
      for (; !over; added += 1)
        await storeObservations(archive, [
          { ...row, ts: seconds(startUs + 500e6 + added), orderbook_yes: [[0.4, added + 1]] },
        ]);
    };
    const capturing = capture();
    await eventually(() => assert.ok(added > 3));
    const { body, rows } = await write(queryOf({ ticker: other, streams: ['l2'], format: 'hftbacktest' }));
    over = true;
    await capturing;
    const events = await readNpz(body);
    assert.equal(events.length, rows);
    assertClocks(events);
  });
});

const [trade, clear] = [2, 3];

const assertClocks = (events: readonly EngineEvent[]): void => {
  for (const [index, { exch_ts, local_ts, isForBoth }] of events.entries()) {
    const earlier = events[index - 1];
    assert.ok(isForBoth);
    assert.ok(exch_ts <= local_ts, `event ${index} is received before it happens`);
    assert.ok((earlier?.exch_ts ?? 0n) <= exch_ts && (earlier?.local_ts ?? 0n) <= local_ts, `event ${index} goes back`);
  }
};

const never = (): never => {
  throw new Error('there is such a book');
};
/** The texts of these files have no quotes and no commas. */
const fieldsOf = (line: string): string[] => line.split(',').map((field) => field.replaceAll('"', ''));
