import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { exportGroup, exportQuote, type ExportResponse, type ExportStream } from '@almanac/contracts';
import {
  type ApiClient,
  createExport,
  endedExport,
  errorBody,
  poll,
  post,
  startHarness,
  type SystemHarness,
} from '@almanac/test-e2e';
import { testNumber } from '@almanac/testing';
import { z } from 'zod';
import { days, daysN, randomSeries } from './random-series.js';
import { storeSeries } from './store-series.js';

const seed = testNumber('seed', 116);
const archive = [seed, seed + 1].map(randomSeries);

const streamSets: readonly ExportStream[][] = [
  ['snapshots', 'settlement'],
  ['settlement'],
  ['trades'],
  ['candles'],
  ['l2', 'trades', 'candles', 'settlement'],
];
/** The first and the last day of each range, by number. */
const ranges = [
  [0, daysN - 1],
  [1, 3],
] as const;

const fileRows = z.array(z.looseObject({ ticker: z.string(), event_ticker: z.string().nullable() }));
type FileRows = z.output<typeof fileRows>;

describe(`the parts of an export add up to the whole (--seed ${seed})`, () => {
  let running: SystemHarness;
  let api: ApiClient;
  before(async () => {
    running = await startHarness();
    await storeSeries(running.system, archive);
    api = await running.client('internal');
  });
  after(() => running?.stop());

  const rowsOf = async ({ id }: Pick<ExportResponse, 'id'>): Promise<FileRows> => {
    const { status, error, row_count, markets } = await endedExport(api, id);
    assert.equal(status, 'ready', error ?? '');
    const { bytes } = await api.send(`/exports/${id}/file`);
    const rows = fileRows.parse(JSON.parse(bytes.toString()));
    assert.deepEqual([row_count, markets], [rows.length, marketsIn(rows).length], 'the counts of the file');
    return rows;
  };
  /** Null without any data. */
  const quoteOf = async (body: object) => {
    const { status, bytes } = await poll(
      () => api.send('/exports?dry_run=true', post(body)),
      (answer) => answer.status !== 503,
    );
    const answer: unknown = JSON.parse(bytes.toString());
    if (status === 200) return exportQuote.parse(answer);
    assert.deepEqual([status, errorBody.parse(answer).code], [404, 'no_data_for_day']);
    return null;
  };
  const exportsOf = async (body: object) => {
    const group = await api.json(exportGroup, '/exports', post({ ...body, split: 'day' }, randomUUID()));
    return group.exports;
  };

  for (const streams of streamSets) {
    for (const { series } of archive) {
      for (const [first, last] of ranges) {
        const [from = '', to = ''] = [days[first], days[last]];
        it(`${streams.join()} of ${series} from ${from} to ${to}`, async () => {
          const options = { streams, format: 'json' };
          const body = { series, from, to, ...options };
          const quote = await quoteOf(body);
          const alone = await Promise.all(
            days
              .slice(first, last + 1)
              .map(async (day) => ({ day, quote: await quoteOf({ series, day, ...options }) })),
          );
          const listed = alone.flatMap((one) => (one.quote === null ? [] : [one.day]));
          if (quote === null) return assert.deepEqual(listed, [], 'a range without data has no day with data');

          const parts = quote.parts.filter(({ row_count }) => row_count > 0);
          assert.deepEqual(
            parts.map(({ day }) => day),
            listed,
            'days of the quote',
          );
          const split = await quoteOf({ ...body, split: 'day' });
          assert.deepEqual(
            [split?.row_count, split?.parts.map(({ row_count }) => row_count)],
            [quote.row_count, quote.parts.map(({ row_count }) => row_count)],
          );

          const whole = await rowsOf(await createExport(api, body));
          assert.deepEqual([quote.row_count, quote.markets], [whole.length, marketsIn(whole).length], 'the quote');
          const exported = await exportsOf(body);
          assert.deepEqual(
            exported.map(({ day }) => day),
            listed,
            'days of the split',
          );
          const files = await Promise.all(exported.map(rowsOf));
          assert.deepEqual(
            files.map(({ length }) => length),
            parts.map(({ row_count }) => row_count),
          );
          assert.deepEqual(
            alone.flatMap((one) => (one.quote === null ? [] : [one.quote.row_count])),
            files.map(({ length }) => length),
          );
          assert.deepEqual(linesOf(files.flat()), linesOf(whole), 'each row once');
          assert.deepEqual(
            whole.map(({ ticker }) => ticker),
            whole.map(({ ticker }) => ticker).toSorted(),
          );
        });
      }
    }
  }
});

const marketsIn = (rows: FileRows): string[] => [...new Set(rows.map(({ ticker }) => ticker))];
const linesOf = (rows: FileRows): string[] => rows.map((row) => JSON.stringify(row)).toSorted();
