import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { command, connectClickHouse } from '@almanac/clickhouse';
import { type ExportResponse, exportResponse } from '@almanac/contracts';
import { storeArchive } from '@almanac/system';
import { z } from 'zod';
import { type ApiClient, errorBody, poll } from './api.js';
import { type Curl, startCurl } from './curl.js';
import { type SystemHarness, startHarness, clickHouseOf } from './harness.js';

/** Event ids that a venue could use. Each event has one market of the same name without observations. */
const oddIds = [
  '..',
  '../../etc/passwd',
  'a/b',
  'a\\b',
  '.hidden',
  '-rf',
  'T95999.99',
  `"double" and 'single'`,
  '$(id);`id`|&<>*?',
  '%2e%2e%2f%00',
  'a\0b\tc\r\nd\u007f\u0085',
  'CON',
  'nul.csv',
  'COM1.2026',
  '日本語',
  'Zu\u0308rich 💥 \u202egpj',
  'x'.repeat(255),
  '💥'.repeat(21),
  'evt.export.>',
  '__proto__',
];
const rows = z.array(z.record(z.string(), z.unknown()));
const observed = [
  'ts',
  'venue_ts',
  'seq',
  'yes_best_bid',
  'yes_best_ask',
  'coin_price',
  'orderbook_yes',
  'orderbook_no',
];

describe('an edge-case export', () => {
  let running: SystemHarness;
  let api: ApiClient;
  let curl: Curl;

  before(async () => {
    running = await startHarness({ environment: { export: { EXPORT_ATTEMPTS: '6' } } });
    api = await running.client('internal');
    curl = await startCurl();
    await storeArchive(running.system, {
      facts: oddIds.flatMap((id) => [
        { kind: 'series' as const, id },
        { kind: 'market' as const, ticker: id, event_ticker: id, series: id, result: 'yes', close_us: 1_771_993_800e6 },
      ]),
      rows: [],
    });
  });
  after(async () => {
    await curl.stop();
    await running.stop();
  });

  const create = (input: object): Promise<ExportResponse> =>
    api.json(exportResponse, '/exports', { method: 'POST', body: JSON.stringify(input) });
  const ended = (id: string): Promise<ExportResponse> =>
    poll(
      () => api.json(exportResponse, `/exports/${id}`),
      ({ status }) => status !== 'pending',
    );
  const refusal = async (path: string, init: Parameters<ApiClient['send']>[1] = {}) => {
    const { status, bytes } = await api.send(path, init);
    return { status, ...errorBody.parse(JSON.parse(bytes.toString())) };
  };

  it('has a file name that every system accepts, and its market with null observations', async () => {
    const streams = ['snapshots', 'settlement', 'l2'];
    const responses = await Promise.all(
      oddIds.flatMap((id) => [create({ event: id, streams, format: 'json' }), create({ ticker: id, format: 'json' })]),
    );
    for (const [index, { id: exportId, filename }] of responses.entries()) {
      const id = oddIds[Math.floor(index / 2)] ?? '';
      const state = await ended(exportId);
      assert.deepEqual(
        [state.status, state.row_count, state.markets, state.event],
        ['ready', 1, 1, id],
        state.error ?? '',
      );
      assert.match(filename ?? '', /^\w[\w.-]*\.json$/);
      assert.doesNotMatch(filename ?? '', /^(con|prn|aux|nul|com\d|lpt\d)\./i);
      assert.ok(Buffer.byteLength(filename ?? '') <= 180);
      const into = join(curl.folder, String(index));
      await mkdir(into);
      const url = `${running.system.baseUrls[0]}/api/v1/exports/${exportId}/file`;
      await curl.run('-OJ', '--output-dir', into, '--header', `Authorization: Bearer ${api.key}`, url);
      await curl.run('-OJ', '--output-dir', join(into, 'linked'), '--create-dirs', state.download_url ?? '');
      assert.deepEqual(new Set(await readdir(into)), new Set([filename, 'linked']));
      assert.deepEqual(await readdir(join(into, 'linked')), [filename]);
      const [row = {}, ...others] = rows.parse(JSON.parse(await readFile(join(into, filename ?? ''), 'utf8')));
      assert.deepEqual(
        [
          row['ticker'],
          row['event_ticker'],
          row['series'],
          row['status'],
          row['result'],
          row['close_ts'],
          others.length,
        ],
        [id, id, id, 'finalized', 'yes', 1_771_993_800, 0],
      );
      for (const name of observed) assert.ok(row[name] === null || (index % 2 === 1 && !(name in row)), name);
    }
  });

  it('is 404 for a day without data, even a future day, whatever the series is called', async () => {
    for (const series of oddIds) {
      for (const day of ['2026-02-25', '2999-12-31']) {
        const body = JSON.stringify({ series, day });
        const { status, code } = await refusal('/exports', { method: 'POST', body });
        assert.deepEqual([status, code], [404, 'no_data_for_day'], series);
      }
    }
  });

  it('has no file while it is pending, or after it was cancelled or failed: 409 names the status', async () => {
    const { infrastructure, secrets } = running.system;
    const account = { username: 'admin', password: secrets.clickhouse.admin };
    const admin = connectClickHouse({ ...clickHouseOf(infrastructure), ...account });
    try {
      // ClickHouse refuses the query: the file is retried for some seconds, and then fails.
      await command(admin, { sql: 'ALTER TABLE snapshots RENAME COLUMN coin_price TO coin_price_' });
      const failing = await create({ event: 'CON', format: 'parquet' });
      const unwanted = await create({ event: 'CON', format: 'csv' });
      const preparing = await refusal(`/exports/${failing.id}/file`);
      assert.deepEqual([preparing.status, preparing.code], [409, 'export_preparing']);
      assert.equal((await api.send(`/exports/${unwanted.id}`, { method: 'DELETE' })).status, 200);
      const cancelled = await refusal(`/exports/${unwanted.id}/file`);
      assert.deepEqual([cancelled.status, cancelled.code], [409, 'export_cancelled']);
      const failed = await ended(failing.id);
      assert.equal(failed.status, 'failed');
      assert.ok(failed.error);
      const { status, code, detail } = await refusal(`/exports/${failing.id}/file`);
      assert.deepEqual([status, code, detail], [409, 'export_failed', failed.error]);
    } finally {
      await command(admin, { sql: 'ALTER TABLE snapshots RENAME COLUMN coin_price_ TO coin_price' });
      await admin.close();
    }
    assert.equal((await ended((await create({ event: 'CON', format: 'parquet' })).id)).status, 'ready');
  });
});
