import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recording } from '@almanac/testing';
import { describeBookRecordings } from '../testing/book-recordings-suite.js';
import { importPath } from '../testing/import-files.js';

const session = recording('data/kalshi-l2/session-20260514T130107Z');
const frames = recording('data/kalshi-l2/ws_frames.jsonl');
const [first, second] = ['KXBTC15M-26MAY140915-15', 'KXBTC15M-26MAY140930-30'];

describeBookRecordings('the real recording of books', {
  skip: session.skip || frames.skip,
  open: () => ({
    session: {
      folder: session.path,
      tickers: [first, second],
      snapshots: 4,
      changes: 67_726,
      // 44,181 with changes and 4 with snapshots.
      rows: 44_185,
      secondsMin: 500,
      trades: 7_400,
      tops: 803,
      equalTops: 749,
    },
    framesPath: frames.path,
    frames: {
      changes: 61,
      tickers: ['76125', '76375', '76625', '76875', '77375', '77625', '77875', '78125'].map(
        (strike) => `KXBTC-26APR1817-B${strike}`,
      ),
    },
  }),
});

it('the real recording begins with the book that the venue sent', { skip: session.skip }, async () => {
  const { rows, things } = await importPath(session.path);
  const begun = rows.get(`${first} 1778763695.431332`);
  assert.deepEqual(
    {
      ...begun,
      book: begun?.book && { ...begun.book, yes: begun.book.yes.slice(0, 33), no: begun.book.no.slice(-48) },
    },
    {
      ticker: first,
      series: 'KXBTC15M',
      ts: '1778763695.431332',
      venueTs: '1778763695.338038',
      seq: '2',
      bid: '0.46',
      ask: '0.47',
      coinPrice: begun?.coinPrice ?? '',
      book: {
        yes: '[(0.46,1075),(0.45,637.02),(0.44,',
        no: '0.005,100),(0.003,900),(0.002,926),(0.001,1602)]',
        coinAgeUs: begun?.book?.coinAgeUs ?? '',
      },
    },
  );
  const openUs = Date.UTC(2026, 4, 14, 13, 0) * 1_000;
  const closeUs = Date.UTC(2026, 4, 14, 13, 15) * 1_000;
  assert.deepEqual(things.get(`market ${first}`), {
    kind: 'market',
    venue: 'kalshi',
    ticker: first,
    series: 'KXBTC15M',
    event_ticker: 'KXBTC15M-26MAY140915',
    category: 'crypto',
    category_label: 'Crypto',
    capture: 'l2',
    venue_status: 'finalized',
    result: 'yes',
    open_us: openUs,
    close_us: closeUs,
    floor_strike: '79747.3',
    last_price: things.get(`market ${first}`)?.['last_price'],
    history: [
      {
        known_us: 1_778_763_695_185_815,
        basis: 'recorded',
        values: {
          venue_status: 'active',
          open_us: String(openUs),
          close_us: String(closeUs),
          floor_strike: '79747.3',
        },
      },
    ],
  });
});
