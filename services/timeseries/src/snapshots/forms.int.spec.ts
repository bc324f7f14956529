import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { bytesOf } from '@almanac/bus';
import { type SnapshotForm, timeseriesRpc } from '@almanac/contracts';
import { readArrow, seededRandom } from '@almanac/testing';
import { parquetReadObjects, parquetSchema, parquetMetadata } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import type { Callers, Observation, TimeseriesFixture } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const second = 1_000_000;
const openUs = 1_771_992_900 * second;

const formats = ['csv', 'ndjson', 'parquet', 'arrow'] as const;
const parquetRows = z.array(z.looseObject({ ts: z.date() }));

describe('snapshots in other forms than JSON', () => {
  let tested: TimeseriesHarness;
  let fixture: TimeseriesFixture;
  let callers: Callers;
  before(async () => {
    tested = await startHarness();
    ({ fixture, callers } = tested);
  });
  after(() => tested.stop());

  const newMarket = async (rows: readonly Observation[], more: object = {}): Promise<string> => {
    const ticker = `KX "${randomUUID()}", é`;
    const close_us = openUs + 900 * second;
    await fixture.market({ ticker, series: 'S', event_ticker: null, open_us: openUs, close_us, ...more });
    if (rows.length > 0) await callers.store(ticker, rows);
    return ticker;
  };
  type SnapshotsInput = z.input<typeof timeseriesRpc.snapshots.input>;
  const snapshotsOf = async (input: SnapshotsInput & { format: SnapshotForm }, plan = 'full_book') => {
    const context = { requestId: 'test', account: 'a1', plan };
    const reply = await callers.rpc.forward(timeseriesRpc.snapshots, { input, context });
    return { bytes: await bytesOf(reply), meta: reply.meta, head: reply.meta.head ?? {} };
  };
  const parquetOf = async (bytes: Buffer) => {
    const file = new Uint8Array(bytes).buffer;
    return { rows: parquetRows.parse(await parquetReadObjects({ file, compressors })), meta: parquetMetadata(file) };
  };
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const some: Observation[] = [
    { us: openUs + 58_297, venueUs: openUs + 50_000, seq: 7, bid: '0.51', ask: '0.86', price: '65541.895' },
    { us: openUs + second, bid: '0.5', ask: null, price: null, seq: null },
  ];
  const withBooks: Observation[] = [
    { us: openUs, bid: '0.5', book: { yes: '[(0.5,10),(0.49,2.5)]', no: '[]' } },
    { us: openUs + second, bid: '0.6', book: null },
  ];

  it('as CSV have the columns, header, numbers and empty fields of an exported file', async () => {
    const ticker = await newMarket(some);
    const { bytes } = await snapshotsOf({ ticker, format: 'csv', step_ms: 0 });
    assert.deepEqual(bytes.toString().split('\r\n'), [
      '"ticker","event_ticker","series","ts","venue_ts","seq","yes_best_bid","yes_best_ask","coin_price"',
      `${quoted(ticker)},,"S",1771992900.058297,1771992900.05,7,0.51,0.86,65541.895`,
      `${quoted(ticker)},,"S",1771992901,,,0.5,,`,
      '',
    ]);
  });

  it('as CSV and JSON lines have books as JSON, and nothing where no book was captured', async () => {
    const ticker = await newMarket(withBooks, { event_ticker: 'E' });
    const csv = await snapshotsOf({ ticker, format: 'csv', step_ms: 0, include_book: true });
    assert.deepEqual(csv.bytes.toString().split('\r\n').slice(1), [
      `${quoted(ticker)},"E","S",1771992900,,,0.5,,,"[[0.5,10],[0.49,2.5]]","[]"`,
      `${quoted(ticker)},"E","S",1771992901,,,0.6,,,,`,
      '',
    ]);
    const plain = '"venue_ts":null,"seq":null,"yes_best_bid"';
    const ndjson = await snapshotsOf({ ticker, format: 'ndjson', step_ms: 0, include_book: true });
    assert.deepEqual(ndjson.bytes.toString().split('\n'), [
      `{"ts":1771992900,${plain}:0.5,"yes_best_ask":null,"coin_price":null,"orderbook_yes":[[0.5,10],[0.49,2.5]],"orderbook_no":[]}`,
      `{"ts":1771992901,${plain}:0.6,"yes_best_ask":null,"coin_price":null,"orderbook_yes":null,"orderbook_no":null}`,
      '',
    ]);
    assert.deepEqual([csv.head['layer'], csv.head['include_book']], ['l2', true]);
    const last = await snapshotsOf({ ticker, format: 'ndjson', start_ts: openUs / 1e6 + 1, include_book: true });
    assert.equal(last.head['layer'], 'top');
  });

  it('as Parquet have microseconds in UTC, decimals, nested books and zstd', async () => {
    const ticker = await newMarket(withBooks);
    const { bytes, head } = await snapshotsOf({ ticker, format: 'parquet', step_ms: 0, include_book: true });
    const { rows, meta } = await parquetOf(bytes);
    assert.deepEqual(
      rows.map((row) => [row.ts.toISOString(), row['yes_best_bid'], row['orderbook_yes'], row['orderbook_no']]),
      [
        [
          '2026-02-25T04:15:00.000Z',
          0.5,
          [
            [0.5, 10],
            [0.49, 2.5],
          ],
          [],
        ],
        ['2026-02-25T04:15:01.000Z', 0.6, [], []],
      ],
    );
    assert.deepEqual([rows[0]?.['ticker'], rows[0]?.['event_ticker'], rows[0]?.['series']], [ticker, null, 'S']);
    const types = new Map(parquetSchema(meta).children.map(({ element }) => [element.name, element]));
    for (const name of ['ts', 'venue_ts']) {
      const unit = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' };
      assert.deepEqual(types.get(name)?.logical_type, unit, name);
    }
    assert.deepEqual(types.get('coin_price')?.logical_type, { type: 'DECIMAL', precision: 18, scale: 8 });
    const codecs = meta.row_groups.flatMap(({ columns }) => columns.map((column) => column.meta_data?.codec));
    assert.deepEqual([...new Set(codecs)], ['ZSTD']);
    assert.equal(head['layer'], 'l2');
  });

  it('as Arrow have the columns, values and metadata of Parquet', async () => {
    const ticker = await newMarket([
      ...some,
      { us: openUs + 2 * second, bid: '0.5', book: withBooks[0]?.book ?? null },
    ]);
    const whole = (row: object): object =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
      );
    for (const isWhole of [false, true]) {
      for (const numbers of ['decimal', 'float'] as const) {
        const input = { ticker, step_ms: 0, include_book: true, sizes: true, numbers, whole: isWhole };
        const { rows, meta } = await parquetOf((await snapshotsOf({ ...input, format: 'parquet' })).bytes);
        const arrow = readArrow((await snapshotsOf({ ...input, format: 'arrow' })).bytes);
        assert.deepEqual([arrow.rows.length, arrow.timeZones], [3, ['UTC']]);
        assert.deepEqual(arrow.rows, rows.map(whole));
        const ofParquet = meta.key_value_metadata?.map(({ key, value }) => [key, value]) ?? [];
        assert.deepEqual(arrow.metadata, isWhole ? Object.fromEntries(ofParquet) : {});
      }
    }
  });

  it('carry the metadata of the JSON head beside their rows', async () => {
    const ticker = await newMarket(withBooks, { event_ticker: 'E' });
    const request = { ticker, step_ms: 0, limit: 1, include_book: true };
    for (const plan of ['free', 'full_book']) {
      const { body } = await callers.snapshots(request, { plan });
      const { start_ts, end_ts, step_ms, include_book, matched, count, clamped, layer } = body;
      const { has_more, next_start_ts, notice } = body;
      const described = { start_ts, end_ts, step_ms, include_book, matched, count, clamped, layer };
      assert.equal(notice === null, plan === 'full_book');
      for (const format of formats) {
        const { head, meta } = await snapshotsOf({ ...request, format }, plan);
        assert.deepEqual(head, { ...described, has_more, next_start_ts }, `${format} of ${plan}`);
        assert.deepEqual(
          meta.notices?.map(({ code, detail }) => [code, detail]),
          notice === null ? undefined : [['books_not_included', notice]],
        );
        assert.deepEqual([meta.version, meta.cacheable], [2, plan === 'full_book']);
      }
    }
  });

  it('from a start alone continue window by window while rows follow, and return each step once', async () => {
    const rows = Array.from({ length: 500 }, (_, seq) => ({ us: openUs + (seq * 100 + 7) * second, seq }));
    const ticker = await newMarket(rows);
    const steps = new Map(rows.map(({ us, seq }) => [Math.floor(us / (60 * second)), seq]));
    const found: number[] = [];
    const ends: unknown[] = [];
    for (let start: number | null = openUs / 1e6 + 0.5; start !== null && ends.length < 10;) {
      const request = { ticker, start_ts: start, step_ms: 60_000, limit: 5_000 };
      const { body } = await callers.snapshots(request);
      for (const format of formats) {
        const { has_more, next_start_ts, clamped } = (await snapshotsOf({ ...request, format })).head;
        assert.deepEqual([has_more, next_start_ts, clamped], [body.has_more, body.next_start_ts, body.clamped], format);
      }
      assert.equal(body.next_start_ts, body.has_more ? body.end_ts : null);
      ends.push([body.clamped, body.has_more]);
      found.push(...body.snapshots.map(({ seq }) => seq ?? -1));
      start = body.next_start_ts;
    }
    // The first and the last are 49,907 s apart: two windows of six hours, and a third.
    assert.deepEqual(ends, [
      [true, true],
      [true, true],
      [false, false],
    ]);
    assert.deepEqual(found, [...steps.values()]);
  });

  it('are only a header, no line, or a file without rows when nothing is stored', async () => {
    const ticker = await newMarket([]);
    for (const include_book of [false, true]) {
      const csv = await snapshotsOf({ ticker, format: 'csv', include_book });
      const books = include_book ? ',"orderbook_yes","orderbook_no"' : '';
      assert.match(csv.bytes.toString(), new RegExp(`^"ticker","event_ticker",.*"coin_price"${books}\r\n$`));
      assert.deepEqual([csv.head['matched'], csv.head['has_more'], csv.head['next_start_ts']], [0, false, null]);
      assert.equal((await snapshotsOf({ ticker, format: 'ndjson', include_book })).bytes.length, 0);
      const { rows, meta } = await parquetOf((await snapshotsOf({ ticker, format: 'parquet', include_book })).bytes);
      assert.deepEqual([rows, meta.num_rows], [[], 0n]);
      const arrow = await snapshotsOf({ ticker, format: 'arrow', include_book });
      assert.deepEqual([readArrow(arrow.bytes).rows, arrow.head['count']], [[], 0]);
    }
  });

  it('continue page by page without a repeat or a hole, with books and without, whatever step and limit', async () => {
    const times = new Set<number>();
    const random = seededRandom(29);
    while (times.size < 200) times.add(openUs + Math.floor(random() * 60 * second));
    const book = { yes: '[(0.5,1)]', no: '[(0.4,2)]' };
    const rows = [...times]
      .toSorted((a, b) => a - b)
      .map((us, seq) => ({ us, seq, book: seq % 3 === 0 ? null : book }));
    const ticker = await newMarket(rows);
    const seqsIn = async (format: SnapshotForm, bytes: Buffer): Promise<number[]> => {
      if (format === 'parquet') return (await parquetOf(bytes)).rows.map((row) => Number(row['seq']));
      if (format === 'arrow') return readArrow(bytes).rows.map((row) => Number(row['seq']));
      const lines = bytes.toString().trimEnd().split('\n');
      if (format === 'csv') return lines.slice(1).map((line) => Number(line.split('"S",')[1]?.split(',')[2]));
      return lines.map((line) => z.object({ seq: z.int() }).parse(JSON.parse(line)).seq);
    };
    for (const [step_ms, limit, include_book] of [
      [0, 67, false],
      [0, 200, true],
      [700, 13, true],
      [60_000, 1, true],
    ] as const) {
      const steps = new Map(rows.map(({ us, seq }) => [step_ms === 0 ? us : Math.floor(us / (step_ms * 1_000)), seq]));
      for (const format of formats) {
        const found: number[] = [];
        let start: number | null = openUs / 1e6;
        for (let page = 0; start !== null && page < 100; page += 1) {
          const request = { ticker, start_ts: start, end_ts: openUs / 1e6 + 900, step_ms, limit, include_book, format };
          const { bytes, head } = await snapshotsOf(request);
          const seqs = await seqsIn(format, bytes);
          assert.equal(head['count'], seqs.length);
          found.push(...seqs);
          start = z.number().nullable().parse(head['next_start_ts']);
        }
        assert.deepEqual(found, [...steps.values()], `${format}, step ${step_ms}, limit ${limit}`);
      }
    }
  });
});
