import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@almanac/testing';
import { z } from 'zod';
import { loadBuiltInMappings } from '../mapping/load-mapping.js';
import { recordingArchive } from './recording-archive.js';
import { runImport } from './run-import.js';

const kalshi = sharedData('kalshi-catalog') ?? '';
const polymarket = sharedData('polymarket') ?? '';
const skip = kalshi === '' || polymarket === '' ? 'the recordings of ../shared/data are not on this machine' : false;

const imported = async (paths: readonly string[], into = recordingArchive()) => {
  const refusedFolder = await mkdtemp(join(tmpdir(), 'almanac-import-'));
  try {
    const mappings = await loadBuiltInMappings();
    const { archive } = into;
    const { reports, aborted } = await runImport(paths, { archive, mappings, refusedFolder, startedAt: new Date(0) });
    assert.equal(aborted, null);
    return { ...into, reports: reports.map((report) => ({ ...report, file: report.file.split('/').at(-1) ?? '' })) };
  } finally {
    await rm(refusedFolder, { recursive: true, force: true });
  }
};

const kindsOf = (things: ReadonlyMap<string, unknown>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const key of things.keys()) {
    const kind = key.split(' ', 1)[0] ?? '';
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

// Read here with other means than the importer's: the whole file at once, by a schema.
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
const marketOf = z.object({
  ticker: z.string(),
  event_ticker: z.string(),
  title: z.string(),
  status: z.string(),
  strike_type: z.string(),
  floor_strike: z.number().optional(),
  open_time: z.string(),
  close_time: z.string(),
});

test(
  'both venues import into one tree, series before events before markets, and what is of another kind is passed over',
  { skip },
  async () => {
    const { reports, things, rows } = await imported([kalshi, polymarket]);
    assert.deepEqual(
      reports.map(({ file, mapping, rowsRead, error }) => [file, mapping, rowsRead, error]),
      [
        ['series.json', 'kalshi-series', 233, null],
        ['events_20250224.json', 'kalshi-events', 1_936, null],
        ['markets_data.json', 'kalshi-markets', 16, null],
        ['markets_dollars.json', 'kalshi-markets', 46, null],
        ['BTC-5m-markets-2026-06-08.jsonl.gz', 'polymarket-markets', 292, null],
        ['order_book.json', null, 0, null],
        ['btc-updown-5m-1777467000_ticks.json', 'polymarket-updown-ticks', 301, null],
        ['btc-updown-5m-1777467300_ticks.json', 'polymarket-updown-ticks', 301, null],
        ['ws_market_excerpt.jsonl', null, 0, null],
      ],
    );
    for (const { file, passedOver } of reports.filter(({ mapping }) => mapping === null))
      assert.match(passedOver ?? '', /^not a catalogue or observations file that this version reads; /, file);
    assert.deepEqual(kindsOf(things), { series: 234, event: 1_936 + 292, market: 16 + 46 + 292 + 2 });
    assert.equal(rows.size, 602);
    assert.deepEqual(
      reports.flatMap(({ altered }) => Array.from(altered)),
      [['floor_strike: rounded to 8 decimals', 251]],
    );
    assert.ok(reports.every(({ refused, dropped, warnings }) => refused.size + dropped.size + warnings.size === 0));
    assert.deepEqual(
      reports.flatMap(({ rolling }) => rolling),
      ['btc-updown-5m'],
    );
  },
);

test('importing both venues again changes nothing, in one go or file by file', { skip }, async () => {
  const once = await imported([kalshi, polymarket]);
  const before = JSON.stringify(Array.from(once.things));
  const paths = ['markets_data.json', 'events_20250224.json', 'series.json'].map((name) => join(kalshi, name));
  for (const again of [[kalshi, polymarket], ...paths.map((path) => [path]), [polymarket]]) {
    const { reports } = await imported(again, once);
    for (const { told, outcomes } of reports)
      for (const { created, changed } of [told.series, told.event, outcomes])
        assert.deepEqual([created, changed], [0, 0]);
  }
  assert.equal(JSON.stringify(Array.from(once.things)), before);
});

test('every Kalshi series and event says what its dump says', { skip }, async () => {
  const { things } = await imported([kalshi]);
  for (const { ticker, title, category } of await parsed(join(kalshi, 'series.json'), seriesFile)) {
    const series = things.get(`series ${ticker}`);
    const expected = [title.trim(), category.toLowerCase(), category];
    assert.deepEqual([series?.['label'], series?.['category'], series?.['category_label']], expected, ticker);
  }
  const { events } = await parsed(join(kalshi, 'events_20250224.json'), eventsFile);
  const slugs = new Set<unknown>();
  for (const { event_ticker: id, title, sub_title: sub, series_ticker, category } of events) {
    const event = things.get(`event ${id}`);
    const shown = String(event?.['title']);
    const bare = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
    assert.ok(shown.startsWith(bare(title)) && shown.toLowerCase().includes(bare(sub).toLowerCase()), id);
    assert.deepEqual([event?.['series'], event?.['category_label']], [series_ticker, category], id);
    slugs.add(event?.['category']);
  }
  assert.deepEqual(
    [...slugs].map(String).toSorted((a, b) => (a < b ? -1 : 1)),
    [
      'climate-and-weather',
      'companies',
      'crypto',
      'economics',
      'education',
      'elections',
      'entertainment',
      'financials',
      'health',
      'politics',
      'science-and-technology',
      'social',
      'sports',
      'transportation',
      'world',
    ],
  );
});

test('every Kalshi market says what its dump says, in the old form and the new one', { skip }, async () => {
  const { things } = await imported([kalshi]);
  const old = await parsed(join(kalshi, 'markets_data.json'), z.object({ markets: z.array(marketOf) }));
  const dollars = await parsed(join(kalshi, 'markets_dollars.json'), z.record(z.string(), marketOf));
  const all = [...old.markets, ...Object.values(dollars)];
  assert.equal(all.length, 62);
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
  const cpi = things.get('market KXCPICOREYOY-25AUG-T3.3');
  assert.deepEqual([cpi?.['series'], cpi?.['category'], cpi?.['floor_strike']], ['KXCPICOREYOY', 'economics', '3.3']);
  const mention = things.get('market KXFEDMENTION-26MAR-JUDY');
  assert.deepEqual(
    [mention?.['series'], mention?.['category']],
    ['KXFEDMENTION', undefined],
    'no file tells its category',
  );
});

const gammaLine = z.object({
  slug: z.string(),
  start_sec: z.number(),
  end_sec: z.number(),
  outcome_prices: z.tuple([z.string(), z.string()]),
  strike_value: z.string().nullable(),
  raw: z.object({ question: z.string(), closedTime: z.string() }),
});

test(
  'every Polymarket market has window, strike to the eighth decimal, result and settlement of its line',
  { skip },
  async () => {
    const { things } = await imported([polymarket]);
    const packed = await readFile(join(polymarket, 'BTC-5m-markets-2026-06-08.jsonl.gz'));
    const lines = gunzipSync(packed).toString('utf8').trim().split('\n');
    assert.equal(lines.length, 292);
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
    assert.equal(withoutStrike, 4);
    assert.partialDeepStrictEqual(things.get('series btc-updown-5m'), {
      label: 'Bitcoin Up or Down 5m',
      shape: 'rolling',
    });
  },
);

test('top of book is stored second by second under the market that the file is named after', { skip }, async () => {
  const { things, rows } = await imported([polymarket]);
  const tick = z.object({ ts_ms: z.number(), up_best_bid: z.number(), up_best_ask: z.number() });
  for (const start of [1_777_467_000, 1_777_467_300]) {
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
