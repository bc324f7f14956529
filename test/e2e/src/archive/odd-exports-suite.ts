import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClickHouse, command, connectClickHouse } from '@almanac/clickhouse';
import { exportResponse } from '@almanac/contracts';
import { storeArchive } from '@almanac/operator';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { type ApiClient, post } from '../api.js';
import { createExport, endedExport, readyExport } from '../exports.js';
import { type SystemHarness, clickHouseOf } from '../harness.js';
import { assertUsage, dayEndOf } from '../usage.js';
import { type Curl, startCurl } from './curl.js';

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

/** Tests of exports of odd ids, and of exports that do not become ready. */
export const oddExportsSuite = (system: () => SystemHarness): void => {
  describe('an edge-case export', () => {
    let running: SystemHarness;
    let api: ApiClient;
    let curl: Curl;

    before(async () => {
      running = system();
      api = await running.client('internal');
      curl = await startCurl();
      await storeArchive(running.system, {
        facts: oddIds.flatMap((id) => [
          { kind: 'series' as const, id },
          {
            kind: 'market' as const,
            ticker: id,
            event_ticker: id,
            series: id,
            result: 'yes',
            close_us: 1_771_993_800e6,
          },
        ]),
        rows: [],
      });
    });
    after(() => curl.stop());

    it('has a file name that every system accepts, and its market with null observations', async () => {
      const streams = ['snapshots', 'settlement', 'l2'];
      // By event and by ticker in turn.
      const bodies = oddIds.map((id, at) => (at % 2 === 0 ? { event: id, streams } : { ticker: id }));
      const states = await Promise.all(bodies.map((body) => readyExport(api, { ...body, format: 'json' })));
      for (const [index, state] of states.entries()) {
        const id = oddIds[index] ?? '';
        const { id: exportId, filename } = state;
        assert.deepEqual([state.row_count, state.markets, state.event], [1, 1, id]);
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
          const { status, code } = await api.refusal('/exports', post({ series, day }));
          assert.deepEqual([status, code], [404, 'no_data_for_day'], series);
        }
      }
    });

    describe('that cannot become ready', () => {
      let admin: ClickHouse;
      before(async () => {
        const { infrastructure, secrets } = running.system;
        const account = { username: 'admin', password: secrets.clickhouse.admin };
        admin = connectClickHouse({ ...clickHouseOf(infrastructure), ...account });
        // ClickHouse refuses the query: the file is retried for some seconds, and then fails.
        await command(admin, { sql: 'ALTER TABLE snapshots RENAME COLUMN coin_price TO coin_price_' });
      });
      after(async () => {
        await command(admin, { sql: 'ALTER TABLE snapshots RENAME COLUMN coin_price_ TO coin_price' });
        await admin.close();
        await readyExport(api, { event: 'CON', format: 'parquet' });
      });

      it('has no file while it is pending, or after it failed: 409 names the status', async () => {
        const failing = await createExport(api, { event: 'CON', format: 'parquet' });
        const preparing = await api.refusal(`/exports/${failing.id}/file`);
        assert.deepEqual([preparing.status, preparing.code], [409, 'export_preparing']);
        const failed = await endedExport(api, failing.id);
        assert.equal(failed.status, 'failed');
        assert.ok(failed.error);
        const { status, code, detail } = await api.refusal(`/exports/${failing.id}/file`);
        assert.deepEqual([status, code, detail], [409, 'export_failed', failed.error]);
      });

      it('returns the credit, the place of the day and the place among the pending ones when it is cancelled', async () => {
        const free = await running.client('free');
        const dayEnd = await dayEndOf(free);
        // The free plan has one credit and one pending export, so each round needs at once what the one before used.
        for (const event of ['a/b', 'CON']) {
          const { id, grant } = await createExport(free, { event, format: 'csv' });
          assert.equal(grant, 'free_credit');
          await assertUsage(free, dayEnd, { today: 1, pending: 1, credits: 1 });
          const cancelled = await free.json(exportResponse, `/exports/${id}`, { method: 'DELETE' });
          assert.equal(cancelled.status, 'cancelled');
          assert.deepEqual(await free.json(exportResponse, `/exports/${id}`), cancelled);
          const { status, code } = await free.refusal(`/exports/${id}/file`);
          assert.deepEqual([status, code], [409, 'export_cancelled']);
        }
        await eventually(() => assertUsage(free, dayEnd, { today: 0, pending: 0, credits: 0 }));
      });
    });
  });
};
