import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { importPaths, once } from './import-files.js';

/** Dumps of both venues' catalogues with their known contents. */
export interface CatalogueRecordings {
  /** Folders. */
  readonly kalshi: string;
  readonly polymarket: string;
  readonly series: number;
  readonly events: number;
  readonly oldMarkets: number;
  readonly newMarkets: number;
  readonly updownMarkets: number;
  /** Whether a file describes the market of the frames, which make six rows. */
  readonly isFeedDescribed: boolean;
  /** Five-minute markets without a strike, and those whose strike has more than 8 decimals. */
  readonly missingStrikes: number;
  readonly longStrikes: number;
  /** Unix seconds. */
  readonly tickStartsS: readonly number[];
  /** Slugs. */
  readonly categories: readonly string[];
  /** A market whose series and event no file describes. */
  readonly orphan: { readonly ticker: string; readonly series: string };
}

/** Tests the import of both venues' catalogue dumps, real or generated. */
export const describeCatalogueRecordings = (
  name: string,
  { open, skip }: { open: () => CatalogueRecordings; skip: string | false },
): void => {
  describe(name, () => {
    const imported = once(() => importPaths([open().kalshi, open().polymarket]));

    it('imports into one tree, series before events before markets, and skips other files', { skip }, async () => {
      const holds = open();
      const { reports, things, rows } = await imported();
      const feedMarkets = holds.isFeedDescribed ? 1 : 0;
      const ticks = holds.tickStartsS.map((startS) => [
        `btc-updown-5m-${startS}_ticks.json`,
        'polymarket-updown-ticks',
        301,
        null,
      ]);
      assert.deepEqual(
        reports.map(({ file, mapping, rowsRead, error }) => [file, mapping, rowsRead, error]),
        [
          ['series.json', 'kalshi-series', holds.series, null],
          ['events_20250224.json', 'kalshi-events', holds.events, null],
          ['markets_data.json', 'kalshi-markets', holds.oldMarkets, null],
          ['markets_dollars.json', 'kalshi-markets', holds.newMarkets, null],
          ['BTC-5m-markets-2026-06-08.jsonl.gz', 'polymarket-markets', holds.updownMarkets, null],
          ...(holds.isFeedDescribed ? [['ws_market.json', 'polymarket-markets', 1, null]] : []),
          ['order_book.json', null, 0, null],
          ...ticks,
          ['ws_market_excerpt.jsonl', 'Polymarket frames', 8, null],
        ],
      );
      for (const { file, passedOver } of reports.filter(({ mapping }) => mapping === null))
        assert.match(
          passedOver ?? '',
          /^the file is not a catalogue or observations file that this version supports\. /,
          file,
        );
      assert.deepEqual(countByKind(things), {
        series: holds.series + 1,
        event: holds.events + holds.updownMarkets + feedMarkets,
        market: holds.oldMarkets + holds.newMarkets + holds.updownMarkets + ticks.length + feedMarkets,
      });
      assert.equal(rows.size, 301 * ticks.length + 6 * feedMarkets);
      assert.deepEqual(
        reports.flatMap(({ altered }) => Array.from(altered)),
        [['floor_strike: rounded to 8 decimals', holds.longStrikes]],
      );
      const described = reports.filter(({ mapping }) => holds.isFeedDescribed || mapping !== 'Polymarket frames');
      assert.ok(described.every(({ refused, dropped, warnings }) => refused.size + dropped.size + warnings.size === 0));
      assert.deepEqual(
        reports.flatMap(({ rolling }) => rolling),
        ['btc-updown-5m'],
      );
    });

    it('changes nothing when it is imported again, in one run or file by file', { skip }, async () => {
      const { kalshi, polymarket } = open();
      const first = await importPaths([kalshi, polymarket]);
      const before = JSON.stringify(Array.from(first.things));
      const paths = ['markets_data.json', 'events_20250224.json', 'series.json'].map((file) => join(kalshi, file));
      for (const again of [[kalshi, polymarket], ...paths.map((path) => [path]), [polymarket]]) {
        const { reports } = await importPaths(again, { into: first });
        for (const { entities, outcomes } of reports)
          for (const { created, changed } of [entities.series, entities.event, outcomes])
            assert.deepEqual([created, changed], [0, 0]);
      }
      assert.equal(JSON.stringify(Array.from(first.things)), before);
    });

    it('has every Kalshi series and event as in its dump', { skip }, async () => {
      const { kalshi, categories } = open();
      const { things } = await imported();
      for (const { ticker, title, category } of await parsed(join(kalshi, 'series.json'), seriesFile)) {
        const series = things.get(`series ${ticker}`);
        const expected = [oneLine(title), category.toLowerCase().replaceAll(' ', '-'), category];
        assert.deepEqual([series?.['label'], series?.['category'], series?.['category_label']], expected, ticker);
      }
      const { events } = await parsed(join(kalshi, 'events_20250224.json'), eventsFile);
      const slugs = new Set<string>();
      for (const { event_ticker: id, title, sub_title: sub, series_ticker, category } of events) {
        const event = things.get(`event ${id}`);
        const shown = String(event?.['title']);
        assert.ok(shown.startsWith(oneLine(title)) && shown.toLowerCase().includes(oneLine(sub).toLowerCase()), id);
        assert.deepEqual([event?.['series'], event?.['category_label']], [series_ticker, category], id);
        slugs.add(String(event?.['category']));
      }
      assert.deepEqual(slugs, new Set(categories));
    });

    it('has every Kalshi market as in its dump, in the old form and the new one', { skip }, async () => {
      const { kalshi, oldMarkets, newMarkets, orphan } = open();
      const { things } = await imported();
      const old = await parsed(join(kalshi, 'markets_data.json'), z.object({ markets: z.array(marketObject) }));
      const dollars = await parsed(join(kalshi, 'markets_dollars.json'), z.record(z.string(), marketObject));
      const all = [...old.markets, ...Object.values(dollars)];
      assert.equal(all.length, oldMarkets + newMarkets);
      for (const market of all) {
        const stored = things.get(`market ${market.ticker}`);
        assert.partialDeepStrictEqual(stored, {
          event_ticker: market.event_ticker,
          title: market.title,
          venue_status: market.status,
          strike_type: market.strike_type,
          open_us: Date.parse(market.open_time) * 1000,
          close_us: Date.parse(market.close_time) * 1000,
        });
        const strike = stored?.['floor_strike'];
        assert.equal(strike === undefined ? undefined : Number(strike), market.floor_strike);
        assert.equal('result' in (stored ?? {}), false, 'an empty result is no result');
      }
      const stored = things.get(`market ${orphan.ticker}`);
      assert.deepEqual([stored?.['series'], stored?.['category']], [orphan.series, undefined]);
    });

    it('has window, strike, result and settlement of every Polymarket market', { skip }, async () => {
      const { polymarket, updownMarkets, missingStrikes } = open();
      const { things } = await imported();
      const packed = await readFile(join(polymarket, 'BTC-5m-markets-2026-06-08.jsonl.gz'));
      const lines = gunzipSync(packed).toString('utf8').trim().split('\n');
      assert.equal(lines.length, updownMarkets);
      let withoutStrike = 0;
      for (const line of lines) {
        const { slug, start_sec, end_sec, outcome_prices, strike_value, raw } = gammaLine.parse(JSON.parse(line));
        const stored = things.get(`market ${slug}`);
        assert.partialDeepStrictEqual(stored, {
          series: 'btc-updown-5m',
          event_ticker: slug,
          title: raw.question,
          category: 'crypto',
          venue_status: 'resolved',
          result: outcome_prices[0] === '1' ? 'yes' : 'no',
          open_us: start_sec * 1_000_000,
          close_us: end_sec * 1_000_000,
          settlement_us: Date.parse(`${raw.closedTime.replace(' ', 'T')}:00`) * 1000,
        });
        if (strike_value === null) {
          withoutStrike += 1;
          assert.equal(stored?.['floor_strike'], undefined);
          continue;
        }
        assert.equal(stored?.['strike_type'], 'greater_or_equal');
        const rounded = (BigInt(strike_value) + 5_000_000_000n) / 10_000_000_000n;
        assert.equal(BigInt(Math.round(Number(stored?.['floor_strike']) * 1e8)) - rounded, 0n, slug);
        assert.equal(stored?.['coin_price_start'], stored?.['floor_strike']);
      }
      assert.equal(withoutStrike, missingStrikes);
      assert.partialDeepStrictEqual(things.get('series btc-updown-5m'), {
        label: 'Bitcoin Up or Down 5m',
        shape: 'rolling',
      });
    });

    it('has the top of book of each second under the market that the file is named after', { skip }, async () => {
      const { polymarket, tickStartsS } = open();
      const { things, rows } = await imported();
      assert.ok(tickStartsS.length > 0);
      for (const start of tickStartsS) {
        const ticker = `btc-updown-5m-${start}`;
        const ticks = await parsed(join(polymarket, 'top_of_book_5m', `${ticker}_ticks.json`), z.array(tick));
        assert.equal(ticks.length, 301);
        for (const { ts_ms, up_best_bid, up_best_ask } of ticks) {
          const row = rows.get(`${ticker} ${(ts_ms / 1000).toFixed(6)}`);
          assert.deepEqual([Number(row?.bid), Number(row?.ask), row?.coinPrice], [up_best_bid, up_best_ask, null]);
        }
        assert.partialDeepStrictEqual(things.get(`market ${ticker}`), {
          series: 'btc-updown-5m',
          event_ticker: ticker,
          category: 'crypto',
          capture: 'top',
          open_us: start * 1_000_000,
          close_us: (start + 300) * 1_000_000,
        });
      }
    });
  });
};

const countByKind = (things: ReadonlyMap<string, unknown>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const key of things.keys()) {
    const kind = key.split(' ', 1)[0] ?? '';
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

const oneLine = (text: string): string => text.replaceAll('**', '').replaceAll(/\s+/g, ' ').trim();

// Reads the file independently of the importer: completely, by a schema.
const parsed = async <T extends z.ZodType>(file: string, schema: T): Promise<z.output<T>> =>
  schema.parse(JSON.parse(await readFile(file, 'utf8')));

const seriesFile = z.array(z.object({ ticker: z.string(), title: z.string(), category: z.string() }));
const eventsFile = z.object({
  events: z.array(
    z.object({
      event_ticker: z.string(),
      series_ticker: z.string(),
      title: z.string(),
      sub_title: z.string(),
      category: z.string(),
    }),
  ),
});
const marketObject = z.object({
  ticker: z.string(),
  event_ticker: z.string(),
  title: z.string(),
  status: z.string(),
  strike_type: z.string(),
  floor_strike: z.number().optional(),
  open_time: z.string(),
  close_time: z.string(),
});
const gammaLine = z.object({
  slug: z.string(),
  start_sec: z.number(),
  end_sec: z.number(),
  outcome_prices: z.tuple([z.string(), z.string()]),
  strike_value: z.string().nullable(),
  raw: z.object({ question: z.string(), closedTime: z.string() }),
});
const tick = z.object({ ts_ms: z.number(), up_best_bid: z.number(), up_best_ask: z.number() });
