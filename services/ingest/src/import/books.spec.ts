import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Recordings, smallRecordings, writeKalshiBooks, writeKalshiSession } from '@almanac/test-fixtures';
import { describeBookRecordings } from './testing/book-recordings-suite.js';
import { importPath } from './testing/import-paths.js';
import { gapsIn } from './testing/memory-archive.js';

let folder = '';
let books: Recordings['kalshiBooks'];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'almanac-books-'));
  books = await writeKalshiBooks(folder, smallRecordings);
});
after(() => rm(folder, { recursive: true, force: true }));

describeBookRecordings('a generated recording of books', {
  skip: false,
  open: () => {
    const { session, framesPath, frames } = books;
    const tickers = session.markets.map(({ ticker }) => ticker);
    return Promise.resolve({ session: { ...session, tickers, equalTops: session.tops }, framesPath, frames });
  },
});

describe('a recorded session that rotates to the next market', () => {
  it('describes both markets with what the recorder and the venue know', async () => {
    const { things } = await importPath(books.session.folder);
    assert.equal(books.session.markets.length, 2);
    for (const { ticker, closeS, strike, result } of books.session.markets) {
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
    const { rows } = await importPath(books.session.folder);
    const [first] = books.session.markets;
    assert.ok(first);
    const last = Array.from(rows.values()).findLast(({ ticker }) => ticker === first.ticker);
    assert.partialDeepStrictEqual(last, { bid: null, ask: null, book: { yes: '[]', no: '[]' } });
  });

  it('has a gap where changes are missing, from the last certain one to the next whole book', async () => {
    const session = await writeKalshiSession(join(folder, 'session-with-a-gap'), {
      seed: 7,
      closeS: 1_778_764_500,
      changes: 2_000,
      changesAfterRotation: 200,
      levels: 30,
      trades: 100,
      gap: { from: 800, to: 811 },
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
