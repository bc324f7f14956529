import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type ExportFormatId, type ExportQuery, type ExportStream, gapReasons } from '@almanac/contracts';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import { unixMicros } from '@almanac/runtime';
import { type Archive, startArchive, storeMarkets, storeObservations } from '../testing/archive.js';
import { queryOf } from '../testing/queries.js';
import { startStore, type StoreFixture } from '../testing/store.js';
import { packManifest, unpackManifest } from './manifest.js';
import { type PendingFile, writeFile } from './write-file.js';

const event = 'KXBTC15M-26FEB242330';
const [settled, emptyMarket] = [`${event}-30`, `${event}-45`] as const;
const midnight = 1_771_977_600_000_000; // 2026-02-25 00:00 UTC
const dayUs = 86_400_000_000;

const exportQuery = (
  streams: ExportStream[],
  format: ExportFormatId,
  target: Partial<ExportQuery> = { event },
): ExportQuery => queryOf({ ...target, streams, format });

/** Two bids for YES. */
const levels = [
  [0.86, 100.5],
  [0.85, 20],
];
const book = { has_book: true, orderbook_yes: levels, orderbook_no: [] };

describe('a file', () => {
  let archive: Archive;
  let store: StoreFixture;
  before(async () => {
    [archive, store] = await Promise.all([startArchive(), startStore()]);
    await storeMarkets(archive, [
      {
        ticker: settled,
        event_ticker: event,
        series: 'KXBTC15M',
        seq: 1,
        result: 'yes',
        venue_status: 'finalized',
        open_us: 1_771_992_900_000_000,
        close_us: 1_771_993_800_000_001,
        floor_strike: '65573.37',
        strike_type: 'greater_or_equal',
        coin_price_start: '65541.9',
        settlement_us: null,
      },
      { ticker: emptyMarket, event_ticker: event, series: 'KXBTC15M', seq: 2, open_us: null, close_us: null },
      { ticker: 'OTHER', event_ticker: 'OTHER-EVENT', series: 'KXBTC15M', seq: 3, open_us: null, close_us: null },
      ...[
        { ticker: 'DAY-SEEN', seq: 5, open_us: midnight - 1, close_us: midnight + 1 },
        { ticker: 'DAY-SILENT', seq: 6, open_us: midnight + dayUs - 1, close_us: midnight + 2 * dayUs },
        { ticker: 'DAY-BEFORE', seq: 7, open_us: midnight - dayUs, close_us: midnight },
        { ticker: 'DAY-AFTER', seq: 8, open_us: midnight + dayUs, close_us: midnight + 2 * dayUs },
        { ticker: 'DAY-UNKNOWN', seq: 9, open_us: null, close_us: null },
      ].map((market) => ({ ...market, event_ticker: `${market.ticker}-E`, series: 'KXDAY' })),
      { ticker: 'ODD "name", yes', event_ticker: 'ODD\nEVENT', series: '', seq: 4, venue_status: 'active' },
    ]);
    const row = { ticker: settled, series: 'KXBTC15M', seq: 7, yes_best_bid: 0.86, yes_best_ask: 0.87 };
    await storeObservations(archive, [
      { ...row, ts: '1771993365.058297', venue_ts: '1771993365.05', coin_price: '65541.895' },
      { ...row, ts: '1771993367.1', seq: null, yes_best_ask: null, coin_price: null },
      { ticker: 'OTHER', ts: '1771993365.058297', seq: 1 },
      { ticker: 'ODD "name", yes', ts: '1772064000', seq: 1 },
      ...['1771977599.999999', '1771977600', '1772063999.999999', '1772064000'].map((ts) => {
        return { ticker: 'DAY-SEEN', ts, seq: 1 };
      }),
      { ticker: 'DAY-BEFORE', ts: '1771977600', seq: 1 },
    ]);
    await storeObservations(archive, [{ ...row, ...book, ts: '1771993366.000001', coin_price: '0.00000001' }]);
  });
  after(() => Promise.all([archive.stop(), store.stop()]));

  const write = async (query: ExportQuery, requested_us = unixMicros(), pending: Partial<PendingFile> = {}) => {
    const versionsOf = () => Promise.resolve([{ ticker: settled, version: 7 }]);
    const { file, manifest } = await writeFile(
      { clickhouse: archive.clickhouse, objects: store.objects, versionsOf },
      { key: 'a'.repeat(64), exportQuery: query, requested_us, ...pending },
      { signal: AbortSignal.timeout(120_000) },
    );
    const link = { expiresInS: 60, filename: 'x', contentType: 'text/plain', public: false };
    const url = await store.objects.presignGet(file.storage_key, link);
    const body = Buffer.from(await (await fetch(url)).arrayBuffer());
    assert.equal(body.length, file.bytes);
    assert.equal(createHash('sha256').update(body).digest('hex'), file.sha256);
    return { file, manifest, body };
  };

  it('in CSV has a header, exact numbers, empty fields for null, and a row for a market without observations', async () => {
    const { file, manifest, body } = await write(exportQuery(['snapshots', 'settlement'], 'csv'));
    const start = `"KXBTC15M-26FEB242330-30","${event}","KXBTC15M"`;
    const end = '"finalized","yes",1771992900,1771993800.000001,65573.37,"greater_or_equal",65541.9,,,';
    assert.deepEqual(body.toString().split('\r\n'), [
      '"ticker","event_ticker","series","ts","venue_ts","seq","yes_best_bid","yes_best_ask","coin_price",' +
        '"status","result","open_ts","close_ts","floor_strike","strike_type","coin_price_start","coin_price_end",' +
        '"expiration_value","settlement_ts"',
      `${start},1771993365.058297,1771993365.05,7,0.86,0.87,65541.895,${end}`,
      `${start},1771993366.000001,,7,0.86,0.87,0.00000001,${end}`,
      `${start},1771993367.1,,,0.86,,,${end}`,
      `"${emptyMarket}","${event}","KXBTC15M",,,,,,,"closed",,,,,,,,,`,
      '',
    ]);
    assert.equal(file.row_count, 4);
    assert.equal(file.markets, 2);
    assert.deepEqual(await unpackManifest(await packManifest(manifest)), {
      query: exportQuery(['snapshots', 'settlement'], 'csv'),
      schema_version: 1,
      markets: [
        { ticker: settled, data_version: 7, rows: 3 },
        { ticker: emptyMarket, data_version: 0, rows: 1 },
      ],
      row_count: 4,
      gaps: [
        {
          ticker: settled,
          start_ts: 1771992900,
          end_ts: 1771993365.058297,
          reason: gapReasons.start,
          missing: 'all',
        },
        {
          ticker: settled,
          start_ts: 1771993367.1,
          end_ts: 1771993800.000001,
          reason: gapReasons.end,
          missing: 'all',
        },
      ],
      gaps_n: 2,
    });
  });

  it('shows whether a market was live at the request, however late it is made', async () => {
    const close_us = midnight + dayUs;
    await storeMarkets(archive, [
      { ticker: 'CLOSES', event_ticker: 'CLOSES-E', series: 'KXCLOSES', seq: 10, close_us },
    ]);
    const query = exportQuery(['settlement'], 'csv', { event: 'CLOSES-E' });
    assert.match((await write(query, close_us - 1)).body.toString(), /"live"/);
    assert.match((await write(query, close_us)).body.toString(), /"closed"/);
  });

  it('in JSON is one array with nested books, null where no book was captured', async () => {
    const { file, body } = await write(exportQuery(['l2'], 'json'));
    const parsed: unknown = JSON.parse(body.toString());
    const names = { ticker: settled, event_ticker: event, series: 'KXBTC15M' };
    const nothing = { venue_ts: null, seq: null, yes_best_bid: null, yes_best_ask: null, coin_price: null };
    const prices = { yes_best_bid: 0.86, yes_best_ask: 0.87 };
    const noBook = { orderbook_yes: null, orderbook_no: null };
    const { has_book: _, ...books } = book;
    assert.deepEqual(parsed, [
      { ...names, ts: 1771993365.058297, venue_ts: 1771993365.05, seq: 7, ...prices, coin_price: 65541.895, ...noBook },
      { ...names, ts: 1771993366.000001, venue_ts: null, seq: 7, ...prices, coin_price: 1e-8, ...books },
      { ...names, ts: 1771993367.1, ...nothing, yes_best_bid: 0.86, ...noBook },
      { ...names, ticker: emptyMarket, ts: null, ...nothing, ...noBook },
    ]);
    assert.equal(file.row_count, 4);
    assert.ok(body.includes('"coin_price":65541.895,'), 'numbers are written as they are stored');
  });

  it('in gzipped JSON lines holds one object a row', async () => {
    const { file, body } = await write(exportQuery(['snapshots'], 'jsonl.gz', { ticker: settled, event }));
    const lines = gunzipSync(body).toString().trimEnd().split('\n');
    assert.equal(file.row_count, 3);
    assert.deepEqual(
      lines.map((line) => z.object({ ts: z.number() }).parse(JSON.parse(line)).ts),
      [1771993365.058297, 1771993366.000001, 1771993367.1],
    );
  });

  it('in Parquet has timestamps, decimals, nested books, and its own description', async () => {
    const { file, body } = await write(exportQuery(['l2', 'settlement'], 'parquet'));
    const allExports = new Uint8Array(body).buffer;
    const metadata = parquetMetadata(allExports);
    assert.equal(file.row_count, 4);
    assert.equal(metadata.num_rows, 4n);
    const described = Object.fromEntries(metadata.key_value_metadata?.map(({ key, value }) => [key, value]) ?? []);
    assert.deepEqual(described, {
      'almanac.query': JSON.stringify(exportQuery(['l2', 'settlement'], 'parquet')),
      'almanac.data_version': 'a'.repeat(64),
      'almanac.schema_version': '1',
    });
    const types = new Map(metadata.schema.map(({ name, logical_type }) => [name, logical_type]));
    const utcMicros = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' };
    for (const time of ['ts', 'venue_ts', 'open_ts', 'settlement_ts']) assert.deepEqual(types.get(time), utcMicros);
    assert.deepEqual(types.get('yes_best_bid'), { type: 'DECIMAL', scale: 6, precision: 9 });
    const codecs = metadata.row_groups.flatMap(({ columns }) => columns.map((column) => column.meta_data?.codec));
    assert.deepEqual([...new Set(codecs)], ['ZSTD']);
    const read: unknown[] = await parquetReadObjects({ file: allExports, compressors });
    assert.equal(read.length, 4);
    const second = z.looseObject({ ts: z.date() }).parse(read[1]);
    assert.equal(second.ts.getTime(), 1_771_993_366_000);
    assert.deepEqual(second['orderbook_yes'], levels);
    assert.deepEqual(second['floor_strike'], 65573.37);
    assert.deepEqual(second['status'], 'finalized');
    assert.equal(z.looseObject({ ts: z.null() }).parse(read[3])['ticker'], emptyMarket);
  });

  it('with the settlement alone has one row a market', async () => {
    const { file, body } = await write(exportQuery(['settlement'], 'csv'));
    const lines = body.toString().trimEnd().split('\r\n');
    assert.equal(file.row_count, 2);
    assert.match(lines[0] ?? '', /^"ticker","event_ticker","series","status","result"/);
    assert.match(lines[1] ?? '', /^"KXBTC15M-26FEB242330-30",.*"finalized","yes"/);
    assert.equal(lines.length, 3);
  });

  it('of a day includes a market of unknown times only if it was observed', async () => {
    const day = { series: 'KXBTC15M', day: '2026-02-25' };
    const { file, body } = await write(exportQuery(['snapshots'], 'csv', day));
    assert.equal(file.row_count, 4);
    assert.equal(file.markets, 2);
    assert.ok(!body.includes(emptyMarket));
    const empty = await write(exportQuery(['snapshots'], 'csv', { ...day, day: '2026-02-26' }));
    assert.equal(empty.file.row_count, 0);
  });

  it('of a day includes every market open at some time of it or with rows of it, one without observations as one row of nulls', async () => {
    const day = { series: 'KXDAY', day: '2026-02-25' };
    const rows = z.array(z.looseObject({ ticker: z.string(), ts: z.number().nullish() }));
    for (const streams of [['snapshots'], ['l2', 'settlement']] as const) {
      const { file, body } = await write(exportQuery([...streams], 'json', day));
      assert.deepEqual([file.row_count, file.markets], [4, 3]);
      assert.deepEqual(
        rows.parse(JSON.parse(body.toString())).map(({ ticker, ts }) => [ticker, ts]),
        [
          ['DAY-BEFORE', 1771977600],
          ['DAY-SEEN', 1771977600],
          ['DAY-SEEN', 1772063999.999999],
          ['DAY-SILENT', null],
        ],
      );
    }
    const { file, body } = await write(exportQuery(['settlement'], 'json', day));
    assert.deepEqual([file.row_count, file.markets], [3, 3]);
    const tickers = rows.parse(JSON.parse(body.toString())).map(({ ticker }) => ticker);
    assert.deepEqual(tickers, ['DAY-BEFORE', 'DAY-SEEN', 'DAY-SILENT']);
  });

  it('quotes names that contain quotes and commas, and writes null for a market without a series', async () => {
    const { file, body } = await write(exportQuery(['snapshots', 'settlement'], 'csv', { event: 'ODD\nEVENT' }));
    assert.equal(file.row_count, 1);
    assert.match(body.toString().split('\r\n')[1] ?? '', /^"ODD ""name"", yes","ODD\nEVENT",,1772064000,.*,"live",/);
  });

  it('of an event without markets is empty and complete in every format', async () => {
    for (const [format, streams] of [
      ['csv', ['snapshots', 'settlement']],
      ['json', ['l2']],
      ['jsonl.gz', ['settlement']],
      ['parquet', ['l2', 'settlement']],
    ] as [ExportFormatId, ExportStream[]][]) {
      const { file } = await write(exportQuery(streams, format, { event: 'NONE' }));
      assert.equal(file.row_count, 0, format);
    }
  });

  it('of a day has the markets that it had at the request, whatever is listed or moved before it is made', async () => {
    const [open_us, close_us] = [midnight, midnight + dayUs];
    const market = { series: 'KXPROMISED', open_us, close_us };
    const markets = ['PROMISED-EMPTY', 'PROMISED-SEEN'];
    await storeMarkets(
      archive,
      markets.map((ticker, n) => ({ ...market, ticker, event_ticker: `${ticker}-E`, seq: n + 1 })),
    );
    const rowAt = (ticker: string, ts: string) => ({ ticker, series: market.series, ts, seq: 1 });
    await storeObservations(archive, [rowAt('PROMISED-SEEN', '1771977600'), rowAt('PROMISED-SEEN', '1771977601')]);
    const query = exportQuery(['snapshots', 'settlement'], 'csv', { series: 'KXPROMISED', day: '2026-02-25' });
    const promised = await write(query, close_us, { markets });
    await storeMarkets(archive, [
      { ...market, ticker: 'PROMISED-LATER', event_ticker: 'PROMISED-LATER-E', seq: 10 },
      { ...market, ticker: 'PROMISED-EMPTY', event_ticker: 'PROMISED-EMPTY-E', seq: 11, series: 'KXOTHER' },
    ]);
    await storeObservations(archive, [rowAt('PROMISED-LATER', '1771977602')]);
    const made = await write(query, close_us, { markets });
    assert.deepEqual(
      made.manifest.markets.map(({ ticker, rows }) => [ticker, rows]),
      [
        ['PROMISED-EMPTY', 1],
        ['PROMISED-SEEN', 2],
      ],
    );
    assert.equal(made.file.row_count, promised.file.row_count);
    assert.ok(!made.body.includes('PROMISED-LATER'));
    // A file of an older release has no list.
    assert.ok((await write(query, close_us)).body.includes('PROMISED-LATER'));
  });
});
