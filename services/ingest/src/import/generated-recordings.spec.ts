import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Recordings, tinyRecordings, writeKalshiSession, writeRecordings } from '@almanac/recordings';
import { importSummary, readOf } from './report/summary.js';
import { describeBookRecordings } from './testing/book-recordings-suite.js';
import { describeCatalogueRecordings } from './testing/catalogue-recordings-suite.js';
import { importFiles, importPath, importPaths, once, type TestImport } from './testing/import-files.js';
import { gapsIn } from './testing/memory-archive.js';
import { describeQuoteRecordings } from './testing/quote-recordings-suite.js';

let folder = '';
let written: Recordings;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'almanac-recordings-'));
  written = await writeRecordings(join(folder, 'all'), tinyRecordings);
});
after(() => rm(folder, { recursive: true, force: true }));

describeCatalogueRecordings('generated dumps of both catalogues', {
  skip: false,
  open: () => {
    const { kalshiCatalogue: kalshi, polymarket } = written;
    return {
      ...kalshi,
      kalshi: kalshi.folder,
      polymarket: polymarket.folder,
      updownMarkets: polymarket.updown.markets,
      isFeedDescribed: true,
      missingStrikes: polymarket.updown.missingStrikes,
      longStrikes: polymarket.updown.longStrikes,
      tickStartsS: polymarket.tickStartsS,
    };
  },
});

describeQuoteRecordings('generated quotes and settled markets', {
  skip: false,
  open: () => {
    const { settledPath, settled, quotesPath, quotes } = written.kalshi15m;
    return {
      settledPath,
      settledMarkets: settled.markets.length,
      dirt: settled.dirt,
      quotesPath,
      quoteLines: quotes.lines,
      quoteErrors: quotes.errors,
      quotes: new Map(Array.from(quotes.markets, ([ticker, rows]) => [ticker, rows.length])),
      markets: new Set([...quotes.markets.keys(), ...settled.markets.map(({ ticker }) => ticker)]).size,
    };
  },
});

it('every generated quote is stored to its last digit', async () => {
  const { quotesPath, quotes: expected } = written.kalshi15m;
  const { rows } = await importPath(quotesPath);
  for (const [ticker, quotes] of expected.markets) {
    const series = ticker.split('-')[0];
    for (const { ts, ...prices } of quotes)
      assert.deepEqual(rows.get(`${ticker} ${ts}`), { ticker, series, ts, venueTs: null, seq: null, ...prices });
  }
});

it('every generated settled market is stored as its line states it', async () => {
  const { settledPath, settled } = written.kalshi15m;
  const { things } = await importPath(settledPath);
  for (const market of settled.markets) {
    const stored = things.get(`market ${market.ticker}`);
    assert.deepEqual(
      {
        event: stored?.['event_ticker'],
        open: stored?.['open_us'],
        close: stored?.['close_us'],
        settlement: stored?.['settlement_us'] ?? null,
        strike: stored?.['floor_strike'] ?? null,
        expiration: stored?.['expiration_value'] ?? null,
        result: stored?.['result'],
      },
      {
        event: market.eventTicker,
        open: market.openS * 1_000_000,
        close: market.closeS * 1_000_000,
        settlement: market.settlementUs,
        strike: shortest(market.strike),
        expiration: shortest(market.expiration),
        result: market.result,
      },
      market.ticker,
    );
  }
});

const shortest = (decimal: string | null): string | null => decimal?.replace(/0+$/, '') ?? null;

describeBookRecordings('a generated recording of books', {
  skip: false,
  open: () => {
    const { session, framesPath, frames } = written.kalshiBooks;
    const tickers = session.markets.map(({ ticker }) => ticker);
    return { session: { ...session, tickers, equalTops: session.tops, secondsMin: 300 }, framesPath, frames };
  },
});

describe('a recorded session that rotates to the next market', () => {
  const imported = once(() => importPath(written.kalshiBooks.session.folder));

  it('describes both markets with what the recorder and the venue know', async () => {
    const { things } = await imported();
    const { markets } = written.kalshiBooks.session;
    assert.equal(markets.length, 2);
    for (const { ticker, closeS, strike, result } of markets) {
      assert.partialDeepStrictEqual(things.get(`market ${ticker}`), {
        ticker,
        series: 'KXBTC15M',
        event_ticker: ticker.replace(/-\d\d$/, ''),
        category: 'crypto',
        capture: 'l2',
        venue_status: 'finalized',
        result,
        open_us: (closeS - 900) * 1_000_000,
        close_us: closeS * 1_000_000,
        floor_strike: strike.replace(/\.?0+$/, ''),
      });
    }
  });

  it('has an empty book after the close of the first market', async () => {
    const { rows } = await imported();
    const [first] = written.kalshiBooks.session.markets;
    assert.ok(first);
    const last = Array.from(rows.values()).findLast(({ ticker }) => ticker === first.ticker);
    assert.partialDeepStrictEqual(last, { bid: null, ask: null, book: { yes: '[]', no: '[]' } });
  });

  it('has a gap where changes are missing, from the last certain one to the next whole book', async () => {
    const session = await writeKalshiSession(join(folder, 'session-with-a-gap'), {
      seed: 7,
      closeS: 1_778_764_500,
      changes: 400,
      changesAfterRotation: 40,
      levels: 12,
      trades: 20,
      gap: { from: 160, to: 171 },
    });
    const { spans, rows } = await importPath(session.folder);
    const [first] = session.markets;
    assert.ok(first?.gapUs);
    const [startUs, endUs] = first.gapUs;
    const reason = 'messages are missing in the sequence';
    assert.deepEqual(gapsIn({ spans }), [{ ticker: first.ticker, startUs, endUs, reason, missing: 'all' }]);
    const inside = Array.from(rows.values()).filter(({ ticker, ts }) => {
      const us = Math.round(Number(ts) * 1e6);
      return ticker === first.ticker && us > startUs && us < endUs;
    });
    assert.deepEqual(inside, []);
  });
});

it('messages of books add up, and the rows made of them', async () => {
  const { reports, rows } = await importPaths([join(folder, 'all')]);
  const read = reports.filter(({ messages }) => messages !== null);
  assert.equal(read.length, 3, 'the folder, the frames of Kalshi and those of Polymarket');
  for (const { messages, rowsRead, books } of read) {
    assert.ok(messages && books);
    assert.equal(messages.applied, books.snapshots + books.changes);
    // A line of Polymarket can have several messages.
    assert.ok(readOf(messages) >= rowsRead);
  }
  const { observations } = importSummary({ reports, aborted: null }, false).total;
  const { read: all, ...parts } = observations;
  assert.equal(
    all,
    Object.values(parts).reduce((sum, one) => sum + one, 0),
  );
  assert.equal(observations.stored, rows.size);
});

const importLines = (lines: readonly object[], options?: TestImport) =>
  importFiles({ 'lines.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') }, options);

const market = {
  ticker: 'KXA-26MAR-T1',
  event_ticker: 'KXA-26MAR',
  status: 'active',
  close_time: '2026-03-19T14:00:00Z',
};

describe('a catalogue with more digits than the archive stores', () => {
  const lines = [
    { ...market, floor_strike: '1.123456789' },
    { ...market, ticker: 'KXA-26MAR-T2', close_time: '2026-03-19T14:00:00.1234567Z', floor_strike: 2.5 },
    { ...market, ticker: 'KXA-26MAR-T3', floor_strike: 2.5 },
  ];

  it('is stored with fewer, counted with examples', async () => {
    const { report, things } = await importLines(lines);
    assert.deepEqual(Object.fromEntries(report.alteredExamples), {
      'floor_strike: rounded to 8 decimals': { from: '1.123456789', to: '1.12345679' },
      'close_ts: cut to microseconds': { from: '2026-03-19T14:00:00.1234567Z', to: '1773928800.123456' },
    });
    assert.equal(things.size, 3);
  });

  it('is refused with --exact', async () => {
    const { report, things } = await importLines(lines, { exact: true });
    assert.deepEqual([Array.from(things.keys()), report.recordsRefused], [['market KXA-26MAR-T3'], 2]);
    assert.equal(report.rowsRead, report.markets + report.recordsRefused);
  });
});

const frame = (ns: string, raw: object): object => ({ recv_ts_ns: `@${ns}@`, raw: JSON.stringify(raw) });

describe('frames received between two microseconds', () => {
  const book = { market_ticker: 'KXA-26MAR-T1', yes_dollars_fp: [['0.4000', '10.00']], no_dollars_fp: [] };
  const lines = [
    frame('1771993365058297000', { type: 'orderbook_snapshot', sid: 1, seq: 1, msg: book }),
    frame('1771993365058299123', {
      type: 'orderbook_delta',
      sid: 1,
      seq: 2,
      msg: { market_ticker: 'KXA-26MAR-T1', price_dollars: '0.4000', delta_fp: '5.00', side: 'yes' },
    }),
  ];
  const importFrames = (options?: TestImport) =>
    importFiles(
      { 'frames.jsonl': lines.map((line) => JSON.stringify(line).replaceAll(/"@(\d+)@"/g, '$1')).join('\n') },
      options,
    );

  it('are stored at the earlier one, counted with an example', async () => {
    const { report, rows } = await importFrames();
    assert.equal(rows.size, 2);
    assert.deepEqual(Object.fromEntries(report.alteredExamples), {
      'receive time: cut to microseconds': { from: '1771993365058299123', to: '1771993365.058299' },
    });
  });

  it('are refused with --exact', async () => {
    const { report, rows } = await importFrames({ exact: true });
    assert.equal(rows.size, 1);
    assert.deepEqual(report.messages, { applied: 1, other: 0, refused: 1, notApplied: 0 });
  });
});

describe("a dump of the Python client's objects", () => {
  const dumped = Object.fromEntries(Object.entries(market).map(([key, value]) => [`_${key}`, value]));

  it('is read as a list of the venue, one object a line or in an answer', async () => {
    const event = { _event_ticker: 'KXA-26MAR', _series_ticker: 'KXA', _sub_title: 'In March', _title: 'A?' };
    for (const lines of [
      [event, { ...dumped, _title: 'Will A?', discriminator: null }],
      [{ event: [{ ...event, _markets: [{ ...dumped, _title: 'Will A?' }] }] }],
      [{ _events: [{ ...event, _markets: [{ ...dumped, _title: 'Will A?' }] }], _cursor: '' }],
    ]) {
      const { report, things } = await importLines(lines);
      assert.deepEqual([report.error, report.refused.size], [null, 0]);
      assert.partialDeepStrictEqual(things.get('market KXA-26MAR-T1'), { title: 'Will A?', series: 'KXA' });
      assert.partialDeepStrictEqual(things.get('event KXA-26MAR'), { title: 'A? (In March)', series: 'KXA' });
    }
  });
});
