import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { candlesResponse, previewResponse } from '@almanac/contracts';
import { type ApiClient, poll } from '../api.js';
import type { SystemHarness } from '../harness.js';

const ticker = 'KXSNOW-26FEB24-T1';
const startS = 1_771_992_000;
const hours = 2;

const range = (cents: number) => ({ open: cents, high: cents + 1, low: cents - 1, close: cents });

/** Each minute of two hours, as the venue's API answers. The last minute closes at `lastClose` cents. */
const answerOf = (recordedAt: string, lastClose: number): string => {
  const candlesticks = Array.from({ length: hours * 60 }, (_, minute) => ({
    end_period_ts: startS + (minute + 1) * 60,
    yes_bid: range(40),
    yes_ask: range(42),
    price: { ...range(minute === hours * 60 - 1 ? lastClose : 41), mean: 41, previous: 41 },
    volume: 2,
    open_interest: 100 + minute,
  }));
  const _metadata = { recorded_at: recordedAt, period_interval: 1 };
  return JSON.stringify({ _metadata, response: { ticker, candlesticks } });
};

/** Venue candles as users see them, from the import to the answers. */
export const describeVenueCandles = (system: () => SystemHarness, folderOf: () => string): void => {
  describe('candles of a venue', () => {
    let api: ApiClient;
    const importAnswer = async (name: string, text: string): Promise<void> => {
      await mkdir(folderOf(), { recursive: true });
      const path = join(folderOf(), name);
      await writeFile(path, text);
      const { code, output } = await system().import(path);
      assert.equal(code, 0, output);
    };
    before(async () => {
      api = await system().client('pro');
      for (const _repeated of [1, 2]) await importAnswer('answer.json', answerOf('2026-02-26T00:00:00Z', 45));
    });

    it('are answered with their source and open interest, once, and summed up to whole hours', async () => {
      const minutes = await poll(
        () => api.json(candlesResponse, `/markets/${ticker}/candles`),
        ({ count }) => count > 0,
      );
      assert.deepEqual([minutes.count, minutes.period_s, minutes.has_more], [hours * 60, 60, false]);
      assert.deepEqual(
        minutes.candles.map(({ source, venue, open_interest }) => [source, venue, open_interest]),
        Array.from({ length: hours * 60 }, (_, minute) => ['venue', 'kalshi', 100 + minute]),
      );
      const { candles } = await api.json(candlesResponse, `/markets/${ticker}/candles?period_s=3600`);
      assert.deepEqual(
        candles.map(({ start_ts, volume, open_interest, price }) => [start_ts, volume, open_interest, price.close]),
        [
          [startS, 120, 159, 0.41],
          [startS + 3_600, 120, 219, 0.45],
        ],
      );
      const csv = await api.send(`/markets/${ticker}/candles?period_s=3600&format=csv`);
      assert.match(csv.bytes.toString(), /"open_interest"\r\n.*,"venue","kalshi",60,159\r\n/);
      const finer = await api.send(`/markets/${ticker}/candles?period_s=30&format=csv`);
      assert.match(finer.headers.get('almanac-notice') ?? '', /Send period_s=60\.$/);
    });

    it('show in the preview that the market is not empty', async () => {
      const { coverage, chartable } = await poll(
        () => api.json(previewResponse, `/markets/${ticker}/preview`),
        ({ pending }) => !pending,
      );
      const expected = { source: 'kalshi', period_s: 60, start_ts: startS, end_ts: startS + hours * 3_600 };
      assert.deepEqual(coverage?.venue_candles, [{ ...expected, candles: hours * 60 }]);
      assert.equal(chartable, false);
    });

    it('have their later statement, of which a cached answer hears', async () => {
      const path = `/markets/${ticker}/candles?period_s=3600`;
      const etag = (await api.send(path)).headers.get('etag') ?? assert.fail('no ETag');
      await importAnswer('earlier.json', answerOf('2026-02-25T12:00:00Z', 30));
      await importAnswer('later.json', answerOf('2026-02-27T00:00:00Z', 50));
      const { candles } = await poll(
        () => api.json(candlesResponse, path),
        (found) => found.candles.at(-1)?.price.close === 0.5,
      );
      assert.equal(candles.length, hours);
      assert.notEqual((await api.send(path, { headers: { 'if-none-match': etag } })).status, 304);
    });
  });
};
